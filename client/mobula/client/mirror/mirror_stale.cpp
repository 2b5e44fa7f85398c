// Entities of a mirror that are out of view.
#include <mobula/client/mirror/mirror.hpp>

namespace mobula::client {

// An entity in view counts its states, and entry_words for each course. So a loss never adds to the words in use.
static_assert(sizeof(StaleCourse) <= MirroredCourses::entry_words * sizeof(std::uint32_t));

void Mirror::set_stale(ecs::Entity entity, StaleCourses courses) {
  if (stale_.is_full()) destroy(stale_.oldest());
  stale_.add(entity, std::move(courses));
  changes_.add(entity, ChangeKind::lost);
}

// Returns the courses that the newest state of an entity follows after its loss in a tick.
StaleCourses Mirror::courses_of(const MirroredEntity& known, ecs::Tick lost) const {
  StaleCourses courses{.all = {}, .words = {}, .lost = lost};
  courses.all.reserve(known.courses);
  courses.words.reserve(known.courses == 0 ? 0 : state_.codecs.entity(known.prototype).words);
  const std::uint32_t* words = known.versions.newest().words;
  for (const ecs::PoolId pool : state_.registry.prototypes().pools(known.prototype)) {
    const wire::RowCodec& codec = *state_.codecs.row(pool);
    const std::uint32_t row = static_cast<std::uint32_t>(courses.words.size());
    const std::size_t before = courses.all.size();
    for (const wire::CourseUnit& unit : codec.courses())
      if (wire::is_under_way(unit, words))
        courses.all.push_back({pool, row, &unit, changes_.is_marked(id_of(known), pool) ? changes_.number() : 0});
    if (courses.all.size() > before) courses.words.insert(courses.words.end(), words, words + codec.words());
    words += codec.words();
  }
  return courses;
}

// Moves stale entities that continue to the mirror's tick.
void Mirror::follow_stale() {
  stale_.each_under_way(state_.tick, [&](ecs::Entity entity, StaleCourses& courses, const StaleCourse& course) {
    if (std::byte* const component = state_.registry.try_write(entity, course.pool))
      courses.write(course, state_.tick, component);
    if (courses.note_listed(course.pool, changes_.number())) changes_.add_unmarked(entity, course.pool);
  });
}

}  // namespace mobula::client
