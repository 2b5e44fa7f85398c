// The page of a cluster. A world of its shell is a map: a world that is cut into zones.
import {get_all, set_api_root} from './core/api.js';
import {start} from './parts/shell.js';
import {nodes} from './views/nodes.js';
import {worlds} from './views/worlds.js';
import {zones} from './views/zones.js';

set_api_root('');

start({
  views: [zones, nodes, worlds], title: 'Mobula cluster', none: '',
  async learn() {
    const {maps} = await get_all(['maps'], {limit: 500}, 'maps', undefined, Infinity, 'after');
    return maps.length > 0 ? maps : [''];  // the other views need none
  },
});
