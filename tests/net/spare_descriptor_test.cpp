#include <gmock/gmock.h>
#include <sys/resource.h>

#include <mobula/net/spare_descriptor.hpp>
#include <net/all_descriptors.hpp>

namespace mobula::net {
namespace {

TEST(SpareDescriptor, FreesOneDescriptorAndTakesItAgain) {
  SpareDescriptor spare;
  test::AllDescriptors taken;
  EXPECT_FALSE(taken.take());
  ASSERT_TRUE(spare.release());
  EXPECT_FALSE(spare.release());
  EXPECT_TRUE(taken.take());
  spare.renew();
  EXPECT_FALSE(spare.release()) << "none is left";
  taken.give_back();
  spare.renew();
  EXPECT_TRUE(spare.release());
}

TEST(AcceptFailures, LogsTheFirstFailureOfASeries) {
  const boost::system::error_code error = make_error_code(boost::system::errc::too_many_files_open);
  AcceptFailures failures;
  testing::internal::CaptureStderr();
  failures.note(7777, error);
  failures.note(7777, error);
  failures.end();
  failures.note(7778, make_error_code(boost::system::errc::no_buffer_space));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log,
              testing::HasSubstr("connections to port 7777 wait, because accept fails: Too many open files; raise"));
  EXPECT_THAT(log, testing::HasSubstr("connections to port 7778 wait"));
  EXPECT_EQ(log.find("7777"), log.rfind("7777"));
}

}  // namespace
}  // namespace mobula::net
