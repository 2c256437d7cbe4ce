/**
 * The bytes of an answer, at most `most` once they are decompressed.
 *
 * Errors: rejects where there are more, and lets the rest go.
 */
export const boundedBytes = async (
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) throw new Error(`it sends more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
