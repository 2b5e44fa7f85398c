# This machine, by clang with libc++. C++ libraries of Debian have libstdc++'s types, so those of CMAKE_PREFIX_PATH are used.
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_FLAGS_INIT "-stdlib=libc++ -Wno-deprecated-declarations")
