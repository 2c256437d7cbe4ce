/** `text` for a terminal: what others chose, such as a unit, must not steer it. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '?');
