/** Limits of every node (docs/contributing/how-it-works.md, "Bounds"); an API may lower them. `textLength` is in characters. */
export const hardLimits = { choices: 100, bands: 100, hals: 100, textLength: 1_024, spectrumLines: 25_600 };
export type Limits = Readonly<typeof hardLimits>;

/** Longest name of a unit (characters). It is short, because every band of every event repeats its unit. */
export const UNIT_LENGTH = 64;

/** Longest description that the service makes (characters). Such a description may quote what callers wrote. */
export const DESCRIPTION_LENGTH = hardLimits.textLength;

/** Most bytes as JSON: of a threshold or the answers of an inspection (`DOCUMENT_BYTES`), and of a measurement's tags. */
export const DOCUMENT_BYTES = 128 * 1_024;
export const TAGS_BYTES = 4 * 1_024;

/** Most JSON values in a command, and in the body of a request: a spectrum has three per line, and at most 25,600 lines. */
export const COMMAND_VALUES = 100_000;
/** Most members of an object in a body or command: no valid one has as many, and each name costs as much as several values. */
export const OBJECT_MEMBERS = 1_000;

/** Most operations of one JSON Patch, and most bytes of it as JSON. */
export const PATCH_OPERATIONS = 100;
export const PATCH_BYTES = 64 * 1_024;

/** Most bytes, as JSON, that all copies of one patch together may add. No valid threshold is as large. */
export const COPIED_BYTES = DOCUMENT_BYTES + PATCH_BYTES;

/** Bounds of the outbox, which holds the events that wait to be published: number of events, and their bytes as JSON. */
export const OUTBOX_EVENTS = 1_000;
export const OUTBOX_BYTES = 512 * 1_024;

/** How long a node keeps an idempotency key (ms), how many it keeps even if older, and the most that it ever keeps. */
export const KEY_KNOWN_MS = 600_000;
export const KEYS_KNOWN = 256;
export const MOST_KEYS = 8_192;

/** Most API processes whose last group a node remembers; longest name of a process (characters); most commands of a group. */
export const KNOWN_SENDERS = 64;
export const SENDER_LENGTH = 32;
export const GROUP_COMMANDS = 64;

/** Most bytes, as JSON, of all patched thresholds in the answer to a group. A single threshold may be larger. */
export const PATCHED_BYTES = 256 * 1_024;

/** Longest idempotency key, request id (the name of a call in logs and events) and user id, in characters. */
export const IDEMPOTENCY_KEY_LENGTH = 128;
export const REQUEST_NAME_LENGTH = 64;
export const USER_ID_LENGTH = 256;

/** Most nodes of one batch, and most revisions in one precondition. */
export const BATCH_NODES = 10_000;
export const REVISIONS = 16;

/**
 * Normally the API publishes the events that its commands caused. The node publishes them itself once its outbox has this many
 * events, or bytes of events as JSON, that the node does not know to be in the stream.
 */
export const RELAYED_EVENTS = 16;
export const RELAYED_BYTES = 128 * 1_024;

/** Most waiting signals that one run may hand to the next, and their bytes as JSON. Temporal accepts 10,000 signals per run. */
export const CARRIED_SIGNALS = 10_000;
export const CARRIED_SIGNALS_BYTES = 128 * 1_024;

/**
 * A run cannot end while its waiting signals have more than `CARRIED_SIGNALS_BYTES`, and each signal adds events to its history,
 * which Temporal limits to 50 MiB. So at most this many signals may wait then, with at most this many bytes.
 */
export const WAITING_SIGNALS = 250;
export const WAITING_SIGNALS_BYTES = 4 * 1_024 * 1_024;
