/**
 * The most of each thing that a node takes in.
 *
 * Every one of these bounds what a node carries when it continues as new (docs/reliability.md, "Bounds"). The API may be
 * set to take less, never more.
 */
export interface Limits {
  readonly choices: number;
  readonly bands: number;
  readonly hals: number;
  /** UTF-16 units of a label or another text. */
  readonly textLength: number;
  readonly spectrumLines: number;
}

/** The bounds that hold in every node, whatever a caller was told. */
export const hardLimits: Limits = { choices: 100, bands: 100, hals: 100, textLength: 1_024, spectrumLines: 12_800 };

/** UTF-16 units of a unit's name: it is repeated in every band of every event. */
export const UNIT_LENGTH = 64;

/** Bytes of a threshold, and of the answers of an inspection, as JSON. */
export const DOCUMENT_BYTES = 128 * 1_024;

/** Bytes of a measurement's tags as JSON. */
export const TAGS_BYTES = 4 * 1_024;

/** Operations and bytes of one JSON Patch. */
export const PATCH_OPERATIONS = 100;
export const PATCH_BYTES = 64 * 1_024;

/** Commands of one group. */
export const GROUP_COMMANDS = 64;

/** What waits to be published: events, and their bytes as JSON. */
export const OUTBOX_EVENTS = 1_000;
export const OUTBOX_BYTES = 512 * 1_024;

/** The request ids that a node remembers. */
export const REMEMBERED_REQUESTS = 256;

/** UTF-16 units of a request id and of a user id. */
export const REQUEST_ID_LENGTH = 128;
export const USER_ID_LENGTH = 256;

/** The revisions of which one precondition may name any. */
export const REVISIONS = 16;

/** The unconfirmed events, and their bytes as JSON, up to which a node leaves publishing to its callers. */
export const HANDED_OVER_EVENTS = 16;
export const HANDED_OVER_BYTES = 128 * 1_024;
