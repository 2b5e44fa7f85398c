// Metrics of the cluster and of its placer, in the text format of Prometheus.
#pragma once

#include <cluster/control.hpp>

namespace mobula::cluster {

inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4";

std::string metrics_text(const Control& control);

}  // namespace mobula::cluster
