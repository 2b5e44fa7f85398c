# Checks that the tools of modules are found although a former configuration had none:
#   cmake -DMOBULA_XXHASH_DIR=FOLDER -P module_tools.cmake
set(MOBULA_MODULE_TOOLS OFF CACHE INTERNAL "")
include(${CMAKE_CURRENT_LIST_DIR}/../../../schema/MobulaRules.cmake)
mobula_find_module_tools()
if(NOT MOBULA_MODULE_TOOLS)
  message(FATAL_ERROR "a configuration without these tools is remembered")
endif()
