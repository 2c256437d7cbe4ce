/** The index of the quotation mark that ends the text that begins at `start` of `json`; the end of all where none does. */
export const endOfText = (json: string, start: number): number => {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
};

const isEscaped = (json: string, at: number): boolean => {
  let backslashes = 0;
  while (json.charAt(at - 1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
};
