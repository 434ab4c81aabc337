// The light or dark theme: that of the system, unless the user chooses the other.

const STORAGE_KEY = 'theme';
type Theme = 'light' | 'dark';

const systemTheme = matchMedia('(prefers-color-scheme: dark)');

function currentTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored === 'light' || stored === 'dark') return stored;
  return systemTheme.matches ? 'dark' : 'light';
}

function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
}

export function initTheme(): void {
  applyTheme();
  systemTheme.addEventListener('change', applyTheme);
}

export function toggleTheme(): void {
  localStorage.setItem(STORAGE_KEY, currentTheme() === 'dark' ? 'light' : 'dark');
  applyTheme();
}
