/**
 * The text of an answer, which may have `most` bytes once it is decompressed.
 *
 * Errors: rejects where it has more, and lets the rest go.
 */
export const boundedText = async (
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  most: number,
): Promise<string> => {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > most) throw new Error(`it sends more than ${most} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};
