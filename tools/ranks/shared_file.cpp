#include "tools/ranks/shared_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

/// A partial file of a rank that is told to terminate, for its handler, which may not allocate.
struct PartialName {
    std::atomic<bool> is_there{false};
    std::array<char, 4096> name{};
};
std::array<PartialName, 4> partial_names; // keys and values are two; more are left

extern "C" void remove_partials_and_end(int signal) {
    for (PartialName const& partial : partial_names) {
        if (partial.is_there.load()) {
            ::unlink(partial.name.data());
        }
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void remember_partial(fs::path const& partial) {
    std::string const name = fs::absolute(partial).string();
    auto const free =
        std::ranges::find_if(partial_names, [](PartialName const& p) { return !p.is_there; });
    if (free == partial_names.end() || name.size() >= free->name.size()) {
        return;
    }
    std::ranges::copy(name, free->name.begin());
    free->name[name.size()] = '\0';
    free->is_there = true;
    for (int const signal : {SIGTERM, SIGINT, SIGHUP}) {
        std::signal(signal, remove_partials_and_end);
    }
}

void forget_partial(fs::path const& partial) {
    std::string const name = fs::absolute(partial).string();
    for (PartialName& known : partial_names) {
        if (known.is_there && name == known.name.data()) {
            known.is_there = false;
        }
    }
}

} // namespace

Expected<void> agree(model::Communicator& ranks, std::string_view step, Expected<void> const& own) {
    auto const errors =
        model::all_gather_text(ranks, step, own ? std::string() : own.error().message());
    if (!own) {
        return own;
    }
    std::vector<std::uint32_t> failed;
    for (std::uint32_t rank = 0; rank < errors.size(); ++rank) {
        if (!errors[rank].empty()) {
            failed.push_back(rank);
        }
    }
    if (failed.empty()) {
        return {};
    }
    return tl::unexpected(InputError{model::ranks_text(failed), errors[failed.front()], ""});
}

Expected<SharedFile> SharedFile::create(model::Communicator& ranks, fs::path const& path) {
    static std::atomic<unsigned> calls{0};
    fs::path const name = ".keyswap-" + std::to_string(::getpid()) + "-" +
                          std::to_string(calls.fetch_add(1)) + "-ranks.partial";
    // Rank 0 names and makes it; the others open it then.
    auto const names =
        model::all_gather_text(ranks, "output", (path.parent_path() / name).string());
    SharedFile file(path, names.front());
    bool const is_first = ranks.rank() == 0;
    auto opened = agree(ranks, "making the output", is_first ? file.open(true) : Expected<void>());
    if (opened) {
        opened = agree(ranks, "opening the output", is_first ? Expected<void>() : file.open(false));
    }
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    return file;
}

SharedFile::SharedFile(SharedFile&& other) noexcept
    : path_(std::move(other.path_)), partial_(std::exchange(other.partial_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

SharedFile::~SharedFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!partial_.empty()) {
        ::unlink(partial_.c_str());
        forget_partial(partial_);
    }
}

InputError SharedFile::failure(std::string const& action, int error_number) const {
    return {path_.string(),
            "cannot be " + action + ": " + std::strerror(error_number),
            error_number == ENOSPC ? "free some space or choose another place"
                                   : "choose a path in a folder that every rank may write to"};
}

Expected<void> SharedFile::open(bool is_first) {
    int const flags = is_first ? O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC;
    descriptor_ = ::open(partial_.c_str(), flags, 0666);
    if (descriptor_ < 0) {
        return tl::unexpected(failure("written", errno));
    }
    remember_partial(partial_);
    return {};
}

Expected<void> SharedFile::write_at(std::uint64_t offset, std::span<char const> bytes) {
    while (!bytes.empty()) {
        ssize_t const written =
            ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return tl::unexpected(failure("written", errno));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return {};
}

Expected<void> SharedFile::commit(model::Communicator& ranks) {
    Expected<void> own;
    if (::fsync(descriptor_) != 0 && errno != EINVAL) {
        own = tl::unexpected(failure("written", errno));
    }
    if (auto const complete = agree(ranks, "completing the output", own); !complete) {
        return complete;
    }
    if (ranks.rank() == 0 && ::rename(partial_.c_str(), path_.c_str()) != 0) {
        own = tl::unexpected(failure("named", errno));
    }
    auto const named = agree(ranks, "naming the output", own);
    if (named) {
        forget_partial(partial_);
        partial_.clear();
    }
    return named;
}

} // namespace keyswap::tools
