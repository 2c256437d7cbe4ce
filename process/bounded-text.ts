/**
 * Reads the whole body of a response as text. Errors: it rejects a body that is cut off, or longer than `mostBytes`, even if
 * the body never ends. It also runs in browsers.
 */
export const boundedText = async (response: Response, mostBytes: number): Promise<string> => {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return text + decoder.decode();
    bytes += value.length;
    if (bytes > mostBytes) {
      void reader?.cancel().catch(() => undefined);
      throw new Error(`the answer has more than ${mostBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
};
