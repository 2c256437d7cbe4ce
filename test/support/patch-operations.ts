import type { PatchOperation } from '../../workflows/domain/threshold/patch';

export const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value });
export const replace = (path: string, value: unknown): PatchOperation => ({ op: 'replace', path, value });
export const check = (path: string, value: unknown): PatchOperation => ({ op: 'test', path, value });
export const remove = (path: string): PatchOperation => ({ op: 'remove', path });
export const move = (from: string, path: string): PatchOperation => ({ op: 'move', from, path });
export const copy = (from: string, path: string): PatchOperation => ({ op: 'copy', from, path });
