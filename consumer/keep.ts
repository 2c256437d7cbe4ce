/** Where the names of what a group keeps of a stream, or of one partition, begin; a hash tag of the stream is theirs as well. */
export const keepOf = (stream: string, group: string): string => `${stream}:${group}`;
