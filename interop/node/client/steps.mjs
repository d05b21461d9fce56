// What is asked of the server, in this order.

import { asking } from './steps/asking.mjs';
import { changes } from './steps/changes.mjs';
import { http } from './steps/http.mjs';
import { lifecycle, shutdown } from './steps/lifecycle.mjs';
import { prompts } from './steps/prompts.mjs';
import { resources } from './steps/resources.mjs';
import { tools } from './steps/tools.mjs';
import { utilities } from './steps/utilities.mjs';

export const STEPS = [
  ...lifecycle,
  ...tools,
  ...utilities,
  ...asking,
  ...resources,
  ...prompts,
  ...changes,
  ...http,
  ...shutdown
];
