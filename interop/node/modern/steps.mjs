// What is asked of the server, in this order.

import { asking } from './steps/asking.mjs';
import { eras } from './steps/eras.mjs';
import { lists } from './steps/lists.mjs';
import { running } from './steps/running.mjs';
import { subscriptions } from './steps/subscriptions.mjs';

export const STEPS = [...lists, ...running, ...asking, ...subscriptions, ...eras];
