import { endOfText } from './end-of-text';

/** The deepest nesting of a body. */
export const DEEPEST_BODY = 64;

/**
 * Whether `text`, JSON or not, opens more levels than a body may have. It is asked before the text is parsed: JSON.parse takes
 * a hundred milliseconds for a million brackets.
 */
export const isTooDeep = (text: string): boolean => {
  let levels = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charAt(index)) {
      case '{':
      case '[':
        levels += 1;
        if (levels > DEEPEST_BODY) return true;
        break;
      case '}':
      case ']':
        levels -= 1;
        break;
      case '"':
        index = endOfText(text, index);
        break;
      default:
    }
  }
  return false;
};
