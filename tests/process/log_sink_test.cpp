#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <mobula/process/log_sink.hpp>
#include <process/unread_pipe.hpp>
#include <thread>

namespace mobula::process {
namespace {

TEST(LogSink, CountsLinesThatADiskHasNoRoomFor) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  LogSink sink(full, test::report_lost);
  EXPECT_FALSE(sink.write("one\n"));
  EXPECT_FALSE(sink.write("two\n"));
  sink.add_lost(3);
  EXPECT_EQ(sink.lost(), 5u);
  ::close(full);
}

TEST(LogSink, CountsLinesWithoutAReader) {
  ::signal(SIGPIPE, SIG_IGN);
  test::UnreadPipe pipe;
  pipe.close_reader();
  LogSink sink(pipe.writer(), test::report_lost);
  EXPECT_FALSE(sink.write("one\n"));
  EXPECT_EQ(sink.lost(), 1u);
  ::signal(SIGPIPE, SIG_DFL);
}

TEST(LogSink, ReportsLostLinesBeforeTheNextLine) {
  test::UnreadPipe pipe;
  LogSink sink(pipe.writer(), test::report_lost);
  std::thread writer([&] {
    sink.add_lost(7);
    EXPECT_TRUE(sink.write("next\n"));
    EXPECT_EQ(sink.lost(), 0u);
    EXPECT_TRUE(sink.write("last\n"));
  });
  EXPECT_EQ(pipe.read_until("last\n"), "lost 7\nnext\nlast\n");
  writer.join();
}

// Another process that shares the descriptor may have set O_NONBLOCK.
TEST(LogSink, WaitsForRoomInANonBlockingPipe) {
  test::UnreadPipe pipe;
  ::fcntl(pipe.writer(), F_SETFL, O_WRONLY | O_NONBLOCK);
  LogSink sink(pipe.writer(), test::report_lost);
  const std::string line = std::string(100'000, 'x') + "\n";
  std::thread writer([&] { EXPECT_TRUE(sink.write(line)); });
  EXPECT_EQ(pipe.read_until("\n"), line);
  writer.join();
}

// A file of at most 10 bytes, like a disk that becomes full, takes a part of the second line.
int tear_a_line() {
  ::signal(SIGXFSZ, SIG_IGN);
  std::string name = (std::filesystem::temp_directory_path() / "mobula_log_sink.XXXXXX").string();
  const int file = ::mkstemp(name.data());
  ::unlink(name.c_str());
  const rlimit few{10, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &few);
  LogSink sink(file, test::report_lost);
  const bool torn = sink.write("123456\n") && !sink.write("abcdef\n");
  const rlimit many{RLIM_INFINITY, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &many);
  const bool written = sink.write("next\n");
  std::string text(100, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(file, text.data(), text.size(), 0))));
  return torn && written && text == "123456\nabc\nlost 1\nnext\n" ? 0 : 1;
}

TEST(LogSinkDeathTest, EndsATornLineBeforeTheNext) {
  EXPECT_EXIT(::_exit(tear_a_line()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace mobula::process
