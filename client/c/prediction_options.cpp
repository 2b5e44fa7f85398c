// Options of a prediction, and the rules that they name.
#include <c/prediction.hpp>
#include <c/written.hpp>
#include <cmath>
#include <cstring>
#include <mobula/client/prediction/named_rules.hpp>
#include <mobula/core/format.hpp>

namespace mobula::c {
namespace {

// Size of the struct in the first version of the library. It does not grow with the struct.
constexpr std::size_t prediction_options_bytes_min =
    offsetof(mobula_prediction_options, position_field) + sizeof(const char*);
constexpr std::uint32_t known_prediction_flags = MOBULA_NO_OWN_ENTITY;
constexpr std::size_t option_text_bytes_max = 256;
constexpr std::size_t reads_bytes_max = 16 * 1024;
constexpr std::uint32_t delay_max = 64;
constexpr std::uint32_t predicted_max = 256;
constexpr std::uint32_t smoothing_max = 1024;
constexpr std::int64_t duration_max = 3600 * core::second;

mobula_result refuse_option(std::string_view text) { return fail(MOBULA_ERROR_INVALID_ARGUMENT, text); }

mobula_result read_text(const char* text, std::size_t bytes_max, std::string_view what, std::string& to) {
  if (text == nullptr) return MOBULA_OK;
  const std::size_t length = strnlen(text, bytes_max + 1);
  if (length > bytes_max) return refuse_option(core::format("{} has more than {} bytes", what, bytes_max));
  to.assign(text, length);
  return MOBULA_OK;
}

mobula_result check_duration(std::int64_t duration) {
  if (duration >= 0 && duration <= duration_max) return MOBULA_OK;
  return refuse_option(core::format("a duration of {} ns is not within 0 to an hour", duration));
}

mobula_result read_limits(const mobula_prediction_options& options, client::InputDelayLimits& to) {
  if (options.input_delay_least > options.input_delay_most || options.input_delay_most > delay_max)
    return refuse_option(core::format("input delays of {} to {} ticks are not ascending, and at most {}",
                                      options.input_delay_least, options.input_delay_most, delay_max));
  if (options.predicted_max > predicted_max)
    return refuse_option(
        core::format("predicted_max is {}; at most {} are allowed", options.predicted_max, predicted_max));
  to.least = options.input_delay_least;
  to.most = options.input_delay_most;
  if (options.predicted_max > 0) to.predicted_max = options.predicted_max;
  return MOBULA_OK;
}

mobula_result read_smoothing(const mobula_smoothing& given, client::Smoothing& to) {
  if (const mobula_result checked = check_duration(given.duration); checked != MOBULA_OK) return checked;
  if (!(given.snap_distance >= 0)) return refuse_option("a snap distance is not below 0");
  to.duration = given.duration;
  to.snap_distance = given.snap_distance;
  return read_text(given.component, option_text_bytes_max, "the name of a component", to.component);
}

mobula_result read_all_smoothing(const mobula_prediction_options& options, client::PredictionConfig& config) {
  if (options.smoothing == nullptr) return MOBULA_OK;
  if (options.smoothing_count > smoothing_max)
    return refuse_option(
        core::format("smoothing has {} entries; at most {} are allowed", options.smoothing_count, smoothing_max));
  config.smoothing.assign(options.smoothing_count, {});
  for (std::uint32_t i = 0; i < options.smoothing_count; ++i) {
    const mobula_result read = read_smoothing(options.smoothing[i], config.smoothing[i]);
    if (read != MOBULA_OK) return read;
  }
  return MOBULA_OK;
}

mobula_result read_config(const mobula_prediction_options& options, client::PredictionConfig& config) {
  if ((options.flags & ~known_prediction_flags) != 0)
    return refuse_option(core::format("flags {:#x} are not known to this library", options.flags));
  config.own_entity = (options.flags & MOBULA_NO_OWN_ENTITY) == 0;
  if (options.switch_duration != 0) config.switch_duration = options.switch_duration;
  mobula_result read = check_duration(options.switch_duration);
  if (read == MOBULA_OK) read = read_limits(options, config.input_delay);
  if (read == MOBULA_OK) read = read_all_smoothing(options, config);
  if (read == MOBULA_OK)
    read = read_text(options.position_component, option_text_bytes_max, "the position's component",
                     config.position_component);
  if (read == MOBULA_OK)
    read = read_text(options.position_field, option_text_bytes_max, "the position's field", config.position_field);
  return read;
}

// Names point into `reads`, which therefore stays as it is.
void split_reads(HostPrediction& to) {
  std::string_view left = to.reads;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(' '), left.size());
    if (end > 0) to.host_rules.reads.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
}

mobula_result read_rules(const mobula_prediction_options& options, HostPrediction& to) {
  to.rules = &to.host_rules;
  if (options.rules == nullptr) {
    const mobula_result read = read_text(options.reads, reads_bytes_max, "the list of components", to.reads);
    if (read == MOBULA_OK) split_reads(to);
    return read;
  }
  if (options.reads != nullptr) return refuse_option("rules that are compiled in name what they read");
  const std::string_view name(options.rules, strnlen(options.rules, option_text_bytes_max));
  to.rules = client::find_rules(name);
  if (to.rules != nullptr) return MOBULA_OK;
  return fail(MOBULA_ERROR_BAD_RULES,
              core::format("there are no rules '{}'; those of this binary are: {}", name, client::rules_names()));
}

}  // namespace

mobula_result read_prediction_options(const mobula_prediction_options* options, HostPrediction& to) {
  mobula_prediction_options known{};
  if (options != nullptr)
    if (const mobula_result read = read_struct(options, prediction_options_bytes_min, known); read != MOBULA_OK)
      return read;
  if (const mobula_result read = read_config(known, to.config); read != MOBULA_OK) return read;
  return read_rules(known, to);
}

}  // namespace mobula::c
