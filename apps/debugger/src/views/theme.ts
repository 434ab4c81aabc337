// Light or dark: as the system has it, until somebody says otherwise.

const KEY = 'theme';
type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');

function themeNow(): Theme {
  const said = localStorage.getItem(KEY);
  if (said === 'light' || said === 'dark') return said;
  return system.matches ? 'dark' : 'light';
}

function show(): void {
  document.documentElement.dataset['theme'] = themeNow();
}

export function beginTheme(): void {
  show();
  system.addEventListener('change', show);
}

export function turnTheme(): void {
  localStorage.setItem(KEY, themeNow() === 'dark' ? 'light' : 'dark');
  show();
}
