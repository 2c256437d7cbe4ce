/** `text`, or as much of it as `longest` UTF-16 units hold, with an ellipsis at its end; no character is cut in two. */
export const shortened = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
