import { apiSettings, type ApiSettings } from '../../../process/settings';
import { rightOf } from '../either';

/** The presets of the API, which reads its keys and grants from files, with `changes`. */
export const settingsWith = (changes: Partial<ApiSettings> = {}): ApiSettings => ({
  ...rightOf(apiSettings({ AUTH_JWKS_FILE: 'jwks.json', GRANTS_FILE: 'grants.json' })),
  ...changes,
});
