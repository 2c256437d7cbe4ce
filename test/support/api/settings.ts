import * as E from 'fp-ts/Either';
import { apiSettings, type ApiSettings } from '../../../process/settings';

/** The presets of the API, which reads its keys and grants from files, with `changes`. */
export const settingsWith = (changes: Partial<ApiSettings> = {}): ApiSettings => {
  const presets = apiSettings({ AUTH_JWKS_FILE: 'jwks.json', GRANTS_FILE: 'grants.json' });
  if (E.isLeft(presets)) throw new Error(presets.left.join('; '));
  return { ...presets.right, ...changes };
};
