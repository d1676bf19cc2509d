#include "traces/format/pipe_copy.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/full_write.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace keyswap {

namespace {

using Bytes = Expected<std::size_t>;

/// A pipe with a temporary copy of all bytes read from it so far.
class PipeCopy {
  public:
    PipeCopy(Descriptor descriptor, struct stat const& status)
        : descriptor_(std::move(descriptor)), device_(status.st_dev), inode_(status.st_ino),
          copy_(std::tmpfile()), copy_error_(copy_ == nullptr ? errno : 0) {}
    PipeCopy(PipeCopy const&) = delete;
    PipeCopy& operator=(PipeCopy const&) = delete;
    ~PipeCopy() {
        if (copy_ != nullptr) {
            std::fclose(copy_);
        }
    }

    [[nodiscard]] bool is_of(struct stat const& status) const {
        return device_ == status.st_dev && inode_ == status.st_ino;
    }

    /// Reads from `position` on: from the copy, or from the pipe if the copy ends there.
    Bytes read(std::uint64_t position, std::span<char> block, std::string const& name) {
        std::lock_guard const lock(mutex_);
        if (position == read_) {
            return read_pipe(block, name);
        }
        if (copy_error_ != 0) {
            return input_error(
                name,
                "is a pipe that has to be read twice, but cannot be copied to a temporary file: " +
                    std::string(std::strerror(copy_error_)),
                "free some space in the folder for temporary files, or name a file");
        }
        block = block.first(
            static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), read_ - position)));
        return retried(name, [&] {
            return ::pread(
                ::fileno(copy_), block.data(), block.size(), static_cast<off_t>(position));
        });
    }

  private:
    template <class Read>
    static Bytes retried(std::string const& name, Read read) {
        while (true) {
            ssize_t const count = read();
            if (count >= 0) {
                return static_cast<std::size_t>(count);
            }
            if (errno != EINTR) {
                return input_error(name,
                                   "cannot be read: " + std::string(std::strerror(errno)),
                                   "check the file and its disk");
            }
        }
    }

    Bytes read_pipe(std::span<char> block, std::string const& name) {
        if (at_end_) {
            return 0;
        }
        auto const count =
            retried(name, [&] { return ::read(descriptor_.number(), block.data(), block.size()); });
        if (count) {
            at_end_ = *count == 0;
            keep(block.first(*count));
            read_ += *count;
        }
        return count;
    }

    /// Appends to the copy. On failure only later readers report an error.
    void keep(std::span<char const> bytes) {
        if (copy_error_ == 0) {
            copy_error_ = write_fully(::fileno(copy_), bytes, read_);
        }
    }

    std::mutex mutex_;
    Descriptor descriptor_;
    dev_t device_;
    ino_t inode_;
    std::FILE* copy_;
    int copy_error_;         ///< errno; 0: the copy is complete up to read_
    std::uint64_t read_ = 0; ///< bytes read from the pipe
    bool at_end_ = false;
};

class PipeReader final : public ByteSource {
  public:
    PipeReader(std::shared_ptr<PipeCopy> pipe, std::string name)
        : pipe_(std::move(pipe)), name_(std::move(name)) {}

    Bytes read(std::span<char> block) override {
        KEYSWAP_EXPECTS(!block.empty());
        auto const count = pipe_->read(position_, block, name_);
        position_ += count.value_or(0);
        return count;
    }

  private:
    std::shared_ptr<PipeCopy> pipe_;
    std::string name_;
    std::uint64_t position_ = 0;
};

/// All pipes that this process has opened.
struct OpenPipes {
    std::mutex mutex;
    std::vector<std::shared_ptr<PipeCopy>> pipes;
};

OpenPipes& open_pipes() {
    static OpenPipes pipes;
    return pipes;
}

} // namespace

bool is_read_once(int descriptor, struct stat const& status) {
    return S_ISFIFO(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(descriptor) == 1);
}

Expected<void> expect_end(std::filesystem::path const& path, std::string const& name) {
    constexpr unsigned memory_devices = 1;                 // of Linux
    constexpr std::array<unsigned, 4> endless{5, 7, 8, 9}; // zero, full, random, urandom
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode) &&
        major(status.st_rdev) == memory_devices &&
        std::ranges::find(endless, minor(status.st_rdev)) != endless.end()) {
        return input_error(
            name, "is a device that never ends", "name a file, or pipe a part of it: head -c 1M");
    }
    return {};
}

std::unique_ptr<ByteSource> open_pipe_again(struct stat const& status, std::string const& name) {
    OpenPipes& all = open_pipes();
    std::lock_guard const lock(all.mutex);
    auto const found = std::ranges::find_if(
        all.pipes, [&status](auto const& pipe) { return pipe->is_of(status); });
    return found == all.pipes.end() ? nullptr : std::make_unique<PipeReader>(*found, name);
}

std::unique_ptr<ByteSource>
open_pipe_first(Descriptor descriptor, struct stat const& status, std::string const& name) {
    auto pipe = std::make_shared<PipeCopy>(std::move(descriptor), status);
    OpenPipes& all = open_pipes();
    std::lock_guard const lock(all.mutex);
    all.pipes.push_back(pipe);
    return std::make_unique<PipeReader>(std::move(pipe), name);
}

void forget_pipes() {
    OpenPipes& all = open_pipes();
    std::lock_guard const lock(all.mutex);
    all.pipes.clear();
}

} // namespace keyswap
