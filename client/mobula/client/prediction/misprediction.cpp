#include <cstring>
#include <mobula/client/prediction/misprediction.hpp>
#include <mobula/core/format.hpp>
#include <mobula/index/property_text.hpp>

namespace mobula::client {
namespace {

std::string_view name_of(Misprediction::Cause cause) {
  switch (cause) {
    case Misprediction::Cause::late_command: return "late command";
    case Misprediction::Cause::level: return "level";
    case Misprediction::Cause::remote: return "remote";
  }
  return {};
}

// Appends the predicted fields that differ, with the first such element of an array.
void append_fields(const Misprediction& misprediction, const Mirror& mirror, std::string& text) {
  const reflect::Component& type = *mirror.schema().find(mirror.registry().pool(misprediction.pool).type().id);
  std::string_view separator = ": ";
  for (const reflect::Field& field : type.fields) {
    for (std::uint32_t i = 0; field.predicted && i < field.count; ++i) {
      const std::byte* const own = misprediction.predicted.data() + field.offset + std::size_t{i} * field.stride;
      const std::byte* const truth = misprediction.authoritative.data() + field.offset + std::size_t{i} * field.stride;
      if (std::memcmp(own, truth, field.size) == 0) continue;
      text += core::format("{}{}.{} is ", separator, type.name, field.path);
      index::append_json(field, truth, mirror.names(), text);
      text += ", predicted ";
      index::append_json(field, own, mirror.names(), text);
      separator = "; ";
      break;
    }
  }
}

}  // namespace

std::string describe(const Misprediction& misprediction, const Mirror& mirror) {
  if (misprediction.tick == 0) return "no misprediction";
  std::string text = core::format("tick {}, entity {}, {}", misprediction.tick, to_string(misprediction.entity),
                                  name_of(misprediction.cause));
  if (misprediction.predicted.empty() || misprediction.authoritative.empty()) {
    text += ": only one side has it";
  } else {
    append_fields(misprediction, mirror, text);
  }
  return text;
}

}  // namespace mobula::client
