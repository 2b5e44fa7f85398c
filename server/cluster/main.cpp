#include <cluster/cluster_tool.hpp>

int main(int argc, char** argv) { return mobula::cluster::run_cluster_tool(argc, argv); }
