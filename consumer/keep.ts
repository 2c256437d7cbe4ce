/**
 * Where the names of what a group keeps of a stream, or of one partition, begin. A hash tag of the stream is theirs as well: in
 * a cluster they lie in its slot.
 */
export const keepOf = (group: string, stream: string): string => {
  const tag = /\{[^}]+\}/u.exec(stream)?.[0];
  return tag === undefined ? group : `${group}:${tag}`;
};
