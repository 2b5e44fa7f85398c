# The same by clang and lld, in a third of the time: the linker of mingw-w64 takes 20 s for a program.
include(${CMAKE_CURRENT_LIST_DIR}/x86_64-w64-mingw32.cmake)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_CXX_FLAGS_INIT -Wno-deprecated-declarations)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -fuse-ld=lld -lwinpthread")
string(APPEND CMAKE_SHARED_LINKER_FLAGS_INIT " -fuse-ld=lld -lwinpthread")
