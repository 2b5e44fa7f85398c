// The inspector of a server.
import {get} from './core/api.js';
import {setText} from './core/dom.js';
import {count} from './core/format.js';
import {TickHistory} from './core/tick_history.js';
import {start} from './parts/shell.js';
import {views} from './views/index.js';

const history = new TickHistory();
let feed = null;  // overview feed of the shown world

function watch(world, live) {
  if (feed?.world === world) return;
  feed?.leaving.abort();
  feed = {world, leaving: new AbortController()};
  history.clear();
  live.subscribe('overview', {world, per_second: 4}, {
    signal: feed.leaving.signal,
    on_frame(frame) {
      history.add(frame);
      setText(document.getElementById('tick'), count(history.column('tick').at(-1)));
    },
  });
}

start({
  views, history, watch, title: 'Mobula inspector', none: 'This server has no worlds.',
  learn: async () => (await get(['status'])).worlds.map((world) => world.name),
});
