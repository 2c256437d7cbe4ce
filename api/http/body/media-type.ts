import type { IncomingHttpHeaders } from 'node:http';

/** Whether the body is of `mediaType`; parameters are passed over, JSON knows none (RFC 8259, section 11). */
export const isOfType = (headers: IncomingHttpHeaders, mediaType: string): boolean =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === mediaType;

/** Whether the body comes as it is: no compression is undone here. */
export const isPlain = (headers: IncomingHttpHeaders): boolean => {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity';
};

/** Whether the head alone tells that there are no body bytes. */
export const isBodyless = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
