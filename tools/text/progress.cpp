#include "tools/text/progress.hpp"

#include "tools/text/number_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <utility>

namespace keyswap::tools {

namespace {

constexpr std::size_t default_width = 80; ///< if the terminal does not report its width
constexpr std::size_t bar_width_max = 40; ///< characters; a longer bar shows no more

bool can_go_back_in_a_line(int descriptor) {
    char const* const terminal = std::getenv("TERM");
    bool const dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
    return ::isatty(descriptor) == 1 && !dumb;
}

std::size_t width_of(int descriptor) {
    winsize size{};
    bool const known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : default_width;
}

/// Ignores write errors: a closed terminal must not make the work fail.
void write_text(int descriptor, std::string_view text) {
    [[maybe_unused]] auto const written = ::write(descriptor, text.data(), text.size());
}

} // namespace

Progress::Progress(std::string what, std::uint64_t total, ProgressDisplay display)
    : what_(std::move(what)), total_(total), display_(display) {
    if (can_go_back_in_a_line(display_.descriptor)) {
        thread_ = std::thread([this] { draw_until_stopped(); });
    }
}

Progress::~Progress() {
    if (!thread_.joinable()) {
        return;
    }
    {
        std::scoped_lock const lock(mutex_);
        stopping_ = true;
    }
    stop_requested_.notify_one();
    thread_.join();
    if (drawn_) {
        write_text(display_.descriptor, "\r\x1b[K");
    }
}

void Progress::draw_until_stopped() {
    std::unique_lock lock(mutex_);
    auto pause = display_.delay;
    while (!stop_requested_.wait_for(lock, pause, [this] { return stopping_; })) {
        draw();
        pause = display_.interval;
    }
}

void Progress::draw() {
    auto const elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start_);
    // One character less than the width, since some terminals wrap at the last column.
    std::size_t const width = std::max<std::size_t>(width_of(display_.descriptor), 2) - 1;
    std::string const line = progress_line(what_,
                                           done_.load(std::memory_order_relaxed),
                                           total_.load(std::memory_order_relaxed),
                                           elapsed,
                                           width,
                                           display_.in_bytes);
    write_text(display_.descriptor, "\r" + line + "\x1b[K");
    drawn_ = true;
}

std::string progress_line(std::string_view what,
                          std::uint64_t done,
                          std::uint64_t total,
                          std::chrono::milliseconds elapsed,
                          std::size_t width,
                          bool in_bytes) {
    std::string line(what);
    if (total == 0) {
        line += "  " + std::to_string(elapsed.count() / 1000) + " s";
        return line.substr(0, width);
    }
    double const share = static_cast<double>(std::min(done, total)) / static_cast<double>(total);
    auto const percent = static_cast<int>(100 * share);
    std::string text = std::to_string(percent) + "%";
    text.insert(0, 4 - text.size(), ' ');
    if (in_bytes && elapsed.count() > 0) {
        double const rate = 1000 * static_cast<double>(done) / static_cast<double>(elapsed.count());
        text += "  " + size_text(static_cast<double>(done)) + " of " +
                size_text(static_cast<double>(total)) + ", " + size_text(rate) + "/s";
    }
    if (percent > 0 && percent < 100) {
        double const left_ms = static_cast<double>(elapsed.count()) * (1 - share) / share;
        text += "  " + std::to_string(static_cast<std::int64_t>(left_ms / 1000) + 1) + " s left";
    }
    std::size_t const around = line.size() + text.size() + 4; // " [", "] "
    std::size_t const bar =
        width > around ? std::min(width - around, bar_width_max) : std::size_t{0};
    if (bar > 0) {
        auto const full = static_cast<std::size_t>(static_cast<double>(bar) * share);
        line += " [" + std::string(full, '#') + std::string(bar - full, '-') + "]";
    }
    line += " " + text;
    return line.substr(0, width);
}

} // namespace keyswap::tools
