#include <fcntl.h>
#include <gtest/gtest.h>

#include <mobula/process/log_queue.hpp>
#include <process/unread_pipe.hpp>
#include <sstream>
#include <thread>
#include <vector>

namespace mobula::process {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds patience{60'000};

std::string line(int number) { return "line " + std::to_string(number) + "\n"; }

// Reads a text of numbered lines and reports of lost ones. Returns the number that follows; -1 if a line is missing or
// a report stands elsewhere than in its gap.
int follow(const std::string& text, int number) {
  std::istringstream lines(text);
  for (std::string each; std::getline(lines, each);) {
    if (each.starts_with("lost ")) {
      number += std::stoi(each.substr(5));
    } else if (each + '\n' != line(number++)) {
      return -1;
    }
  }
  return number;
}

TEST(LogQueue, DropsTheNewestLinesThatNobodyReads) {
  test::UnreadPipe pipe;
  LogQueue* const queue = LogQueue::start(LogSink(pipe.writer(), test::report_lost), 100);
  ASSERT_NE(queue, nullptr);
  queue->push(line(0));
  EXPECT_FALSE(queue->flush(milliseconds(1)));
  int number = 1;
  for (int dropping = 0; dropping < 20; dropping += queue->dropped() > 0 ? 1 : 0) queue->push(line(number++));
  const std::string first = pipe.read_until("lost ");
  queue->push("end\n");
  std::string text = first + pipe.read_until("end\n");
  text.resize(text.size() - 4);
  EXPECT_EQ(follow(text, 0), number) << text;
  EXPECT_TRUE(queue->flush(patience));
  EXPECT_GT(queue->dropped(), 0u);
}

TEST(LogQueue, WritesLinesOfManyThreadsInTheirOrder) {
  test::UnreadPipe pipe;
  LogQueue* const queue = LogQueue::start(LogSink(pipe.writer(), test::report_lost));
  ASSERT_NE(queue, nullptr);
  std::vector<std::thread> threads;
  for (char name = 'a'; name < 'e'; ++name)
    threads.emplace_back([queue, name] {
      for (int i = 0; i < 1000; ++i) queue->push(std::string(1, name) + std::to_string(i) + "\n");
    });
  for (std::thread& thread : threads) thread.join();
  queue->push("end\n");
  const std::string text = pipe.read_until("end\n");
  for (char name = 'a'; name < 'e'; ++name) {
    std::size_t place = 0;
    for (int i = 0; i < 1000; ++i) {
      place = text.find(std::string(1, name) + std::to_string(i) + "\n", place);
      ASSERT_NE(place, std::string::npos) << name << i;
    }
  }
  EXPECT_TRUE(queue->flush(patience));
  EXPECT_EQ(queue->dropped(), 0u);
}

TEST(LogQueue, CountsLinesThatCannotBeWritten) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  LogQueue* const queue = LogQueue::start(LogSink(full, test::report_lost));
  ASSERT_NE(queue, nullptr);
  for (int i = 0; i < 3; ++i) queue->push(line(i));
  EXPECT_TRUE(queue->flush(patience));
  EXPECT_EQ(queue->dropped(), 3u);
  ::close(full);
}

// The thread blocks SIGPIPE, whatever the program does with it.
TEST(LogQueue, AReaderThatEndsDoesNotEndTheProgram) {
  test::UnreadPipe pipe;
  pipe.close_reader();
  LogQueue* const queue = LogQueue::start(LogSink(pipe.writer(), test::report_lost));
  ASSERT_NE(queue, nullptr);
  queue->push(line(0));
  EXPECT_TRUE(queue->flush(patience));
  EXPECT_EQ(queue->dropped(), 1u);
}

}  // namespace
}  // namespace mobula::process
