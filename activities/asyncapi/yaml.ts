/** `value` as YAML in block style, a superset of what JSON can say; texts are quoted where YAML would read something else. */
export const yamlOf = (value: unknown, indent = ''): string => {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item) => `\n${indent}- ${yamlOf(item, `${indent}  `).trimStart()}`).join('');
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .map(([key, member]) => `\n${indent}${scalar(key)}:${below(member, `${indent}  `)}`)
      .join('');
  return typeof value === 'string' ? scalar(value) : JSON.stringify(value);
};

const below = (member: unknown, indent: string): string => {
  const text = yamlOf(member, indent);
  return text.startsWith('\n') ? text : ` ${text}`;
};

const PLAIN = /^[A-Za-z][\w ./()*-]*$/u;
const OTHER_THAN_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/iu;

const scalar = (text: string): string =>
  PLAIN.test(text) && !text.endsWith(' ') && !OTHER_THAN_TEXT.test(text) ? text : JSON.stringify(text);
