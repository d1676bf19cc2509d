#include "traces/format/open_bytes.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/errno_remedy.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/descriptor.hpp"
#include "traces/format/pipe_copy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace keyswap {

namespace {

class FileBytes final : public ByteSource {
  public:
    FileBytes(Descriptor descriptor, std::string name)
        : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

    Expected<std::size_t> read(std::span<char> block) override {
        KEYSWAP_EXPECTS(!block.empty());
        while (true) {
            ssize_t const count = ::read(descriptor_.number(), block.data(), block.size());
            if (count >= 0) {
                return static_cast<std::size_t>(count);
            }
            if (errno != EINTR) {
                return input_error(name_,
                                   "cannot be read: " + std::string(std::strerror(errno)),
                                   "check the file and its disk");
            }
        }
    }

  private:
    Descriptor descriptor_;
    std::string name_;
};

class TextBytes final : public ByteSource {
  public:
    explicit TextBytes(std::string text) : text_(std::move(text)) {}

    Expected<std::size_t> read(std::span<char> block) override {
        KEYSWAP_EXPECTS(!block.empty());
        std::size_t const count = std::min(block.size(), text_.size() - position_);
        std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(position_), count, block.begin());
        position_ += count;
        return count;
    }

  private:
    std::string text_;
    std::size_t position_ = 0;
};

/// Peeked bytes, followed by the rest of the source.
class PrefixedBytes final : public ByteSource {
  public:
    PrefixedBytes(std::string prefix, std::unique_ptr<ByteSource> rest)
        : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

    Expected<std::size_t> read(std::span<char> block) override {
        auto count = prefix_.read(block);
        return count && *count == 0 ? rest_->read(block) : count;
    }

  private:
    TextBytes prefix_;
    std::unique_ptr<ByteSource> rest_;
};

/// Waits until a pipe has data or its last writer has closed it; false after Limit::wait.
bool wait_for_writer(int descriptor) {
    constexpr int ms_per_second = 1000;
    pollfd pipe{descriptor, POLLIN, 0};
    int ready = -1;
    do {
        ready = ::poll(&pipe, 1, static_cast<int>(limit_of(Limit::wait)) * ms_per_second);
    } while (ready < 0 && errno == EINTR);
    return ready != 0;
}

} // namespace

Expected<std::unique_ptr<ByteSource>> open_raw_bytes(std::filesystem::path const& path) {
    // Non-blocking: opening a pipe without a writer would block; fstat() needs the open file.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!file.is_open() && path == "-") { // where an option names a file besides the keys
        return input_error(
            "-", "is not standard input here", "write /dev/stdin, or the file's name");
    }
    if (!file.is_open() || ::fstat(file.number(), &status) != 0) {
        return input_error(path.string(),
                           "cannot be read: " + std::string(std::strerror(errno)),
                           errno_remedy(errno, "check the path and its permissions"));
    }
    bool const once = is_read_once(file.number(), status);
    if (auto again = once ? open_pipe_again(status, path.string()) : nullptr) {
        return again;
    }
    if (S_ISDIR(status.st_mode)) {
        return input_error(path.string(), "is a folder", "name a file in it");
    }
    if (S_ISFIFO(status.st_mode) && !wait_for_writer(file.number())) {
        return input_error(path.string(),
                           "is a pipe that no process has written to for " +
                               std::to_string(limit_of(Limit::wait)) + " s",
                           "start what writes to it first, or raise " + setting("wait-limit"));
    }
    ::fcntl(file.number(), F_SETFL, O_RDONLY); // from here on reads block
    if (once) {
        return open_pipe_first(std::move(file), status, path.string());
    }
    return std::make_unique<FileBytes>(std::move(file), path.string());
}

Expected<std::size_t> read_fully(ByteSource& bytes, std::span<char> block) {
    std::size_t filled = 0;
    while (filled < block.size()) {
        KEYSWAP_TRY(auto const count, bytes.read(block.subspan(filled)));
        if (count == 0) {
            break;
        }
        filled += count;
    }
    return filled;
}

Expected<PeekedBytes> peek_bytes(std::unique_ptr<ByteSource> bytes, std::size_t size) {
    KEYSWAP_EXPECTS(bytes != nullptr);
    std::string beginning(size, '\0');
    KEYSWAP_TRY(auto const filled, read_fully(*bytes, beginning));
    beginning.resize(filled);
    auto all = std::make_unique<PrefixedBytes>(beginning, std::move(bytes));
    return PeekedBytes{std::move(beginning), std::move(all)};
}

Expected<std::string>
read_text(ByteSource& bytes, std::string const& name, std::uint64_t memory_per_byte) {
    constexpr std::size_t read_bytes = std::size_t{1} << 16;
    std::uint64_t const size_max = limit_of(Limit::memory) / memory_per_byte;
    std::string text;
    std::string block(read_bytes, '\0');
    while (true) {
        KEYSWAP_TRY(auto const count, bytes.read(block));
        if (count == 0) {
            return text;
        }
        if (count > size_max - text.size()) {
            return tl::unexpected(beyond_limit(
                Limit::memory,
                name,
                "has more than " + std::to_string(size_max) + " bytes of text (reading takes " +
                    std::to_string(memory_per_byte) + " bytes of memory for each)"));
        }
        text.append(block, 0, count);
    }
}

std::unique_ptr<ByteSource> bytes_of(std::string text) {
    return std::make_unique<TextBytes>(std::move(text));
}

Expected<std::unique_ptr<ByteSource>> open_bytes(std::filesystem::path const& path) {
    KEYSWAP_TRY(auto raw, open_raw_bytes(path));
    return decompressed(std::move(raw), path.string());
}

} // namespace keyswap
