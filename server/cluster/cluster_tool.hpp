// mobula-cluster: places worlds on the nodes of a cluster, and answers backends and operators.
#pragma once

namespace mobula::cluster {

/// Runs the program. Returns its exit status: 0, 1 if what was asked is not possible, 2 for a wrong command line.
int run_cluster_tool(int argc, char** argv);

}  // namespace mobula::cluster
