// All views, in the order of the navigation.
import {overview} from './overview.js';
import {map} from './map.js';
import {entities} from './entities.js';
import {prototypes} from './prototypes.js';
import {systems} from './systems.js';
import {sessions} from './sessions.js';
import {pools} from './pools.js';
import {resources} from './resources.js';
import {server} from './server.js';

export const views = [overview, map, entities, prototypes, systems, sessions, pools, resources, server];
