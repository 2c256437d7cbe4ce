/** The deepest nesting of a body. */
export const DEEPEST_BODY = 64;

/**
 * Whether `text`, JSON or not, opens more levels than a body may have. It is asked before the text is parsed: JSON.parse takes
 * a hundred milliseconds for a million brackets.
 */
export const isTooDeep = (text: string): boolean => {
  let levels = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        levels += 1;
        if (levels > DEEPEST_BODY) return true;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        levels -= 1;
        break;
      case QUOTE:
        index = endOfText(text, index);
        break;
      default:
    }
  }
  return false;
};

/** The index of the quotation mark that ends the text that begins at `start`; the end of all where none does. */
export const endOfText = (json: string, start: number): number => {
  let index = start + 1;
  while (index < json.length && json.charCodeAt(index) !== QUOTE) index += json.charCodeAt(index) === BACKSLASH ? 2 : 1;
  return index;
};

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
