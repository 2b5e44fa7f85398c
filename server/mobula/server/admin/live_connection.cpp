#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <cmath>
#include <deque>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/json_object.hpp>
#include <mobula/server/admin/live_connection_impl.hpp>
#include <nlohmann/json.hpp>
#include <optional>

namespace mobula::server::admin {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;
using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t message_bytes_max = 4096;
constexpr std::size_t waiting_max = 32;  // messages queued for the peer
constexpr std::chrono::seconds handshake_time{5};
constexpr std::chrono::seconds idle_time{20};  // until a ping, and again until its answer
constexpr double per_second_min = 0.1;
constexpr double per_second_max = 10;

// Errors after which a subscription continues.
constexpr std::array<std::string_view, 3> passing{"busy", "no answer", "unfinished"};

std::string error_text(std::string_view about, const core::Error& error, bool ended) {
  std::string code = error.reason;
  std::ranges::replace(code, ' ', '_');
  const json reply = {
      {"topic", "error"}, {"about", about}, {"code", code}, {"message", error.message}, {"ended", ended}};
  return reply.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Converts {"a":1} to {"topic":"map","a":1}.
std::string with_topic(std::string_view topic, const std::string& object) {
  return core::format("{{\"topic\":\"{}\"{}{}", topic, object.size() > 2 ? "," : "",
                      std::string_view(object).substr(1));
}

core::Result<std::chrono::nanoseconds> period_of(const json& request, double per_second) {
  if (const auto found = request.find("per_second"); found != request.end()) {
    if (!found->is_number()) return core::Error{"bad request", "per_second: expected a number"};
    per_second = found->get<double>();
  }
  if (!(per_second >= per_second_min && per_second <= per_second_max))
    return core::Error{"bad request",
                       core::format("per_second: expected a number from {} to {}", per_second_min, per_second_max)};
  return std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 / per_second));
}

class LiveConnection final : public std::enable_shared_from_this<LiveConnection>, private Evictable {
 public:
  LiveConnection(asio::ip::tcp::socket socket, Place place, bool authorized, LiveOwner& owner)
      : owner_(&owner),
        place_(std::move(place)),
        authorized_(authorized),
        websocket_(std::move(socket)),
        token_timer_(websocket_.get_executor()) {
    for (std::size_t i = 0; i < owner.topics().size(); ++i) slots_.emplace_back(websocket_.get_executor());
  }
  ~LiveConnection() {
    if (counted_) owner_->live_ended();
  }
  LiveConnection(const LiveConnection&) = delete;
  LiveConnection& operator=(const LiveConnection&) = delete;

  void open(const http::request<http::string_body>& upgrade);

 private:
  // State of one topic on this connection.
  struct Slot {
    explicit Slot(const asio::any_io_executor& executor) : timer(executor) {}

    std::shared_ptr<Feed> feed;      // null if not subscribed
    std::uint64_t subscription = 0;  // changes with each subscription
    std::chrono::nanoseconds period{};
    SteadyClock::time_point due{};  // time of the next frame
    bool requested = false;         // a frame has been requested
    asio::steady_timer timer;
  };
  struct Message {
    std::string text;
    std::optional<std::size_t> slot;  // slot of the frame
    std::uint64_t subscription = 0;
  };

  void begin();
  void evict() noexcept override { end(); }
  void read();
  void on_message(std::string_view text);
  void on_token(const json& request);
  void admit();
  core::Status subscribe(const json& request, const std::string& name);
  core::Status unsubscribe(const std::string& name);
  [[nodiscard]] core::Result<std::size_t> find(const std::string& name) const;
  void query(std::size_t slot);
  void query_when_due(std::size_t slot);
  void on_frame(std::size_t slot, std::uint64_t subscription, const core::Result<std::string>& frame);
  void send(Message message);
  void write();
  void close(std::string last_words);
  void end();

  LiveOwner* owner_;
  Place place_;  // held until counted_
  bool authorized_;
  bool counted_ = false;  // authorized and counted; an unauthenticated peer takes no live place
  bool closing_ = false;  // after the queued messages
  bool over_ = false;
  bool writing_ = false;
  websocket::stream<asio::ip::tcp::socket> websocket_;
  asio::steady_timer token_timer_;
  boost::beast::flat_buffer buffer_{message_bytes_max};
  std::deque<Slot> slots_;  // by topic
  std::deque<Message> waiting_;
};

void LiveConnection::open(const http::request<http::string_body>& upgrade) {
  websocket_.set_option(websocket::stream_base::timeout{
      std::min<std::chrono::nanoseconds>(handshake_time, std::chrono::nanoseconds(owner_->timeout())), idle_time,
      true});
  websocket_.read_message_max(message_bytes_max);
  owner_->idle.push_back(*this);
  websocket_.async_accept(upgrade, [self = shared_from_this()](const error_code& error) {
    if (!error) self->begin();
  });
}

void LiveConnection::begin() {
  websocket_.text(true);
  read();
  if (authorized_) return admit();
  token_timer_.expires_after(std::chrono::nanoseconds(owner_->timeout()));
  token_timer_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->authorized_) return;
    self->close(error_text("", {"unauthorized", "send the token first: {\"token\": \"…\"}"}, false));
  });
}

void LiveConnection::read() {
  websocket_.async_read(buffer_, [self = shared_from_this()](const error_code& error, std::size_t) {
    if (error) return self->end();
    if (!self->closing_) {
      const auto bytes = self->buffer_.data();
      self->on_message({static_cast<const char*>(bytes.data()), bytes.size()});
    }
    self->buffer_.clear();
    self->read();
  });
}

// Received messages ---------------------------------------------------------------------------------------------------

void LiveConnection::on_message(std::string_view text) {
  const core::Result<json> parsed =
      parse_object(websocket_.got_text() ? text : std::string_view(), R"({"subscribe": "overview"})");
  if (!parsed) return close(error_text("", {"malformed", parsed.error().message}, false));
  const json& request = *parsed;
  if (!authorized_) return on_token(request);
  const auto name = [&](const char* key) {
    const auto found = request.find(key);
    return found != request.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (request.contains("token")) return;  // repeated, or not needed
  const bool begins = request.contains("subscribe");
  const std::string topic = name(begins ? "subscribe" : "unsubscribe");
  core::Status done = core::Error{"bad request", R"(expected {"subscribe": TOPIC} or {"unsubscribe": TOPIC})"};
  if (begins) done = subscribe(request, topic);
  if (request.contains("unsubscribe")) done = unsubscribe(topic);
  if (!done) send({error_text(topic.substr(0, 100), done.error(), false), {}});
}

void LiveConnection::on_token(const json& request) {
  const auto token = request.find("token");
  if (token == request.end() || !token->is_string() || !owner_->is_token(token->get_ref<const std::string&>()))
    return close(error_text("", {"unauthorized", "wrong token"}, false));
  authorized_ = true;
  token_timer_.cancel();
  admit();
}

void LiveConnection::admit() {
  counted_ = owner_->live_began();
  if (!counted_)
    return close(error_text(
        "", {"busy", core::format("too many live connections; the maximum is {}", live_connections_max)}, false));
  unlink();
  place_.reset();
  send({with_topic("welcome", owner_->welcome()), {}});
}

core::Result<std::size_t> LiveConnection::find(const std::string& name) const {
  const std::span<const Topic> topics = owner_->topics();
  const auto found = std::ranges::find(topics, name, &Topic::name);
  if (found != topics.end()) return static_cast<std::size_t>(found - topics.begin());
  std::vector<std::string_view> names;
  for (const Topic& topic : topics) names.push_back(topic.name);
  return core::Error{"no such topic", core::format("there is no topic '{:.100}'{}", name,
                                                   core::did_you_mean(name.substr(0, 100), names))};
}

core::Status LiveConnection::subscribe(const json& request, const std::string& name) {
  const core::Result<std::size_t> at = find(name);
  if (!at) return at.error();
  const Topic& topic = owner_->topics()[*at];
  const core::Result<std::chrono::nanoseconds> period = period_of(request, topic.per_second);
  if (!period) return period.error();
  const core::Result<std::shared_ptr<Feed>> feed = topic.subscribe(request.dump());
  if (!feed) return feed.error();
  Slot& slot = slots_[*at];
  slot.feed = *feed;
  slot.period = *period;
  ++slot.subscription;
  query_when_due(*at);
  return core::Done{};
}

core::Status LiveConnection::unsubscribe(const std::string& name) {
  const core::Result<std::size_t> at = find(name);
  if (!at) return at.error();
  slots_[*at].feed.reset();
  ++slots_[*at].subscription;
  slots_[*at].timer.cancel();
  return core::Done{};
}

// Sent frames ---------------------------------------------------------------------------------------------------------

// Requests one frame at a time. Repeated subscriptions do not make it earlier.
void LiveConnection::query_when_due(std::size_t slot) {
  Slot& one = slots_[slot];
  if (one.requested || over_) return;
  one.timer.expires_at(one.due);
  one.timer.async_wait([weak = weak_from_this(), slot, subscription = one.subscription](const error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    const Slot& due = self->slots_[slot];
    if (due.feed && !due.requested && due.subscription == subscription) self->query(slot);
  });
}

void LiveConnection::query(std::size_t slot) {
  Slot& one = slots_[slot];
  if (over_ || closing_) return;
  one.requested = true;
  one.due = std::max(one.due, SteadyClock::now()) + one.period;
  owner_->request_frame(one.feed,
                        [self = shared_from_this(), slot, subscription = one.subscription](
                            const core::Result<std::string>& frame) { self->on_frame(slot, subscription, frame); });
}

void LiveConnection::on_frame(std::size_t slot, std::uint64_t subscription, const core::Result<std::string>& frame) {
  Slot& one = slots_[slot];
  one.requested = false;
  if (over_ || closing_ || !one.feed) return;
  if (one.subscription != subscription) return query_when_due(slot);
  const std::string_view name = owner_->topics()[slot].name;
  if (frame) return send({with_topic(name, *frame), slot, subscription});
  const bool ends = std::ranges::find(passing, frame.error().reason) == passing.end();
  send({error_text(name, frame.error(), ends), {}});
  if (ends) {
    one.feed.reset();
  } else {
    query_when_due(slot);
  }
}

void LiveConnection::send(Message message) {
  if (over_ || closing_) return;
  if (waiting_.size() == waiting_max) return end();
  waiting_.push_back(std::move(message));
  if (!writing_) write();
}

void LiveConnection::write() {
  writing_ = true;
  websocket_.async_write(
      asio::buffer(waiting_.front().text), [self = shared_from_this()](const error_code& error, std::size_t) {
        if (error) return self->end();
        self->writing_ = false;
        const Message written = std::move(self->waiting_.front());
        self->waiting_.pop_front();
        if (written.slot && self->slots_[*written.slot].subscription == written.subscription)
          self->query_when_due(*written.slot);
        if (!self->waiting_.empty()) return self->write();
        if (self->closing_)
          self->websocket_.async_close(websocket::close_code::policy_error, [self](const error_code&) { self->end(); });
      });
}

void LiveConnection::close(std::string last_words) {
  send({std::move(last_words), {}});
  closing_ = true;
}

void LiveConnection::end() {
  if (over_) return;
  over_ = true;
  unlink();
  for (Slot& slot : slots_) slot.timer.cancel();
  token_timer_.cancel();
  error_code ignored;
  websocket_.next_layer().close(ignored);
}

}  // namespace

void serve_live(asio::ip::tcp::socket socket, Place place, const http::request<http::string_body>& upgrade,
                bool authorized, LiveOwner& owner) {
  std::make_shared<LiveConnection>(std::move(socket), std::move(place), authorized, owner)->open(upgrade);
}

}  // namespace mobula::server::admin
