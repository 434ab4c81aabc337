// Runs in the page, for readability.ts.
// oxlint-disable-next-line no-unused-vars
function findProblems(minContrast) {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parse = (text) => {
    if (context === null) return [0, 0, 0, 1];
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const mix = ([r, g, b, a], [r2, g2, b2]) => {
    const blend = (one, other) => one * a + other * (1 - a);
    return [blend(r, r2), blend(g, g2), blend(b, b2), 1];
  };
  const luminance = (colour) => {
    const [red = 0, green = 0, blue = 0] = colour
      .slice(0, 3)
      .map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const parentOf = (element) => {
    const rootNode = element.getRootNode();
    return element.parentElement ?? (rootNode instanceof ShadowRoot ? rootNode.host : null);
  };
  const backgroundOf = (element) => {
    const layers = [];
    for (let each = element; each !== null; each = parentOf(each)) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => mix(layer, below), [255, 255, 255, 1]);
  };
  const opacityOf = (element) => {
    let opacity = 1;
    for (let each = element; each !== null; each = parentOf(each)) opacity *= Number(getComputedStyle(each).opacity);
    return opacity;
  };
  const isScrolled = (value) => value === 'auto' || value === 'scroll';
  /** Whether a rectangle is cut off by an ancestor that does not scroll, or by the window. */
  const isClipped = (element, rectangle) => {
    for (let each = element; each !== null; each = parentOf(each)) {
      const { overflowX, overflowY, textOverflow } = getComputedStyle(each);
      // An ellipsis shows that text is left out. A part that scrolls may be anywhere.
      if (isScrolled(overflowX) || isScrolled(overflowY) || textOverflow === 'ellipsis') return false;
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      const box = each.getBoundingClientRect();
      if (overflowX !== 'visible' && rectangle.right > box.right + 1) return true;
      if (overflowY !== 'visible' && rectangle.bottom > box.bottom + 1) return true;
    }
    return rectangle.right > innerWidth + 1 || rectangle.bottom > innerHeight + 1;
  };
  const problems = new Set();
  const visit = (node) => {
    if (node instanceof Element && node.shadowRoot !== null) visit(node.shadowRoot);
    for (const child of node.childNodes) visit(child);
    const element = node.parentElement;
    const text = node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '').trim() : '';
    if (text === '' || element === null || element.closest(':disabled, [aria-disabled=true], option, datalist')) return;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rectangle = range.getBoundingClientRect();
    const style = getComputedStyle(element);
    const opacity = opacityOf(element);
    if (
      rectangle.width <= 1 ||
      opacity === 0 ||
      style.visibility === 'hidden' ||
      element.closest('.visually-hidden') !== null
    )
      return;
    const background = backgroundOf(element);
    const [red, green, blue, alpha] = parse(style.color);
    const colour = mix([red, green, blue, alpha * opacity], background);
    const ratio = contrast(colour, background);
    const name = `${element.localName}${element.className === '' ? '' : `.${String(element.className).replaceAll(' ', '.')}`}`;
    if (ratio < minContrast) problems.add(`contrast ${ratio.toFixed(2)} of "${text.slice(0, 40)}" in ${name}`);
    if (isClipped(element, rectangle)) problems.add(`"${text.slice(0, 40)}" in ${name} is clipped`);
  };
  visit(document.body);
  return [...problems];
}
