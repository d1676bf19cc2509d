#include "tools/ranks/rank_ending.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <unistd.h>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

/// Text for a signal handler, which may not allocate. The handler may interrupt set().
template <std::size_t size>
class HandlerText {
  public:
    /// Ignores texts of `size` or more characters.
    void set(std::string_view text) {
        if (text.size() >= size) {
            return;
        }
        unsigned const next = 1 - current_.load() % 2;
        std::ranges::copy(text, texts_[next].begin());
        texts_[next][text.size()] = '\0';
        current_ = next;
        is_set_ = true;
    }
    void clear() { is_set_ = false; }
    [[nodiscard]] bool is_set() const { return is_set_; }
    [[nodiscard]] char const* text() const { return texts_[current_.load()].data(); }

  private:
    std::array<std::array<char, size>, 2> texts_{};
    std::atomic<unsigned> current_{0};
    std::atomic<bool> is_set_{false};
};

std::array<HandlerText<4096>, 4> partials; ///< keys and values need two; two spare
HandlerText<256> termination_message;

extern "C" void end_by_signal(int signal) {
    for (auto const& partial : partials) {
        if (partial.is_set()) {
            ::unlink(partial.text());
        }
    }
    if (signal == SIGTERM && termination_message.is_set()) {
        std::string_view const words = termination_message.text();
        [[maybe_unused]] auto const written = ::write(STDERR_FILENO, words.data(), words.size());
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void handle_signals() {
    for (int const signal : {SIGTERM, SIGINT, SIGHUP}) {
        std::signal(signal, end_by_signal);
    }
}

} // namespace

void remember_partial(fs::path const& partial) {
    std::string const name = fs::absolute(partial).string();
    auto const free = std::ranges::find_if(partials, [](auto const& p) { return !p.is_set(); });
    if (free != partials.end()) {
        free->set(name);
        handle_signals();
    }
}

void forget_partial(fs::path const& partial) {
    std::string const name = fs::absolute(partial).string();
    for (auto& known : partials) {
        if (known.is_set() && name == known.text()) {
            known.clear();
        }
    }
}

TrackedSteps::TrackedSteps(model::Communicator& end) : end_(end) {
    handle_signals();
}

TrackedSteps::~TrackedSteps() {
    termination_message.clear();
}

void TrackedSteps::exchange(std::string_view step,
                            std::span<std::span<std::byte const> const> sends,
                            std::span<std::span<std::byte> const> receives) {
    termination_message.set("keyswap: rank " + std::to_string(rank()) +
                            ": was asked to stop (at '" + std::string(step) + "')\n");
    end_.exchange(step, sends, receives);
}

} // namespace keyswap::tools
