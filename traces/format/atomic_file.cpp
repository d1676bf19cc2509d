#include "traces/format/atomic_file.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/errno_remedy.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/full_write.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace keyswap {

namespace {

namespace fs = std::filesystem;

constexpr mode_t new_file_mode = 0666; ///< before the umask

/// Requires /proc, through which the file later gets its name.
Descriptor open_unnamed([[maybe_unused]] fs::path const& folder) {
#ifdef O_TMPFILE
    if (::access("/proc/self/fd", X_OK) == 0) {
        return Descriptor(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, new_file_mode));
    }
#endif
    return {};
}

/// Opens a device, or a pipe once it has a reader. On failure, errno is ENXIO if the pipe had no
/// reader for Limit::wait.
Descriptor open_for_a_reader(fs::path const& path) {
    constexpr std::chrono::milliseconds pause(5);
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(limit_of(Limit::wait));
    while (true) {
        Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
        if (descriptor.is_open()) {
            ::fcntl(descriptor.number(), F_SETFL, O_WRONLY); // from here on writes block
        }
        if (descriptor.is_open() || errno != ENXIO || std::chrono::steady_clock::now() >= end) {
            return descriptor;
        }
        std::this_thread::sleep_for(pause);
    }
}

} // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {}

InputError AtomicFile::failure(std::string const& action, int error_number) const {
    std::string const name = is_standard_output(path_) ? "standard output" : path_.string();
    return {
        name,
        "cannot be " + action + ": " + std::strerror(error_number),
        errno_remedy(error_number, "choose a path in an existing folder that you may write to")};
}

Expected<AtomicFile> AtomicFile::create(fs::path const& path) {
    AtomicFile file(path);
    if (path.empty()) {
        return tl::unexpected(file.failure("written", ENOENT));
    }
    struct stat status {};
    bool const to_standard_output = is_standard_output(path);
    bool const exists = !to_standard_output && ::stat(path.c_str(), &status) == 0;
    if (!exists && !to_standard_output && errno != ENOENT) {
        return tl::unexpected(file.failure("written", errno));
    }
    if (exists && S_ISDIR(status.st_mode)) {
        return tl::unexpected(file.failure("written", EISDIR));
    }
    if (exists && ::access(path.c_str(), W_OK) != 0) {
        return tl::unexpected(file.failure("written", errno));
    }
    bool const direct = to_standard_output || (exists && !S_ISREG(status.st_mode));
    Publication const* const publication = Publication::active();
    if (exists && !direct && publication != nullptr && publication->existing() == Existing::keep) {
        return tl::unexpected(file_exists_error(path)); // created since the command's first check
    }
    KEYSWAP_RETURN_IF_ERROR(direct ? file.open_direct() : file.open_hidden());
    if (exists && !direct) {
        // If the owner cannot be preserved, drop set-user-ID and similar bits, as cp does.
        bool const kept = ::fchown(file.staged_.descriptor(), status.st_uid, status.st_gid) == 0;
        mode_t const mode = status.st_mode & (kept ? 07777U : 0777U);
        if (::fchmod(file.staged_.descriptor(), mode) != 0) {
            return tl::unexpected(file.failure("given its mode", errno));
        }
    }
    return file;
}

Expected<void> AtomicFile::open_direct() {
    direct_ = true;
    Descriptor descriptor = is_standard_output(path_)
                                ? Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0))
                                : open_for_a_reader(path_);
    if (!descriptor.is_open() && errno == ENXIO) {
        return input_error(path_.string(),
                           "is a pipe that no process has read for " +
                               std::to_string(limit_of(Limit::wait)) + " s",
                           "start what reads it first, or raise " + setting("wait-limit"));
    }
    if (!descriptor.is_open()) {
        return tl::unexpected(failure("written", errno));
    }
    staged_ = StagedFile(path_, path_, std::nullopt, std::move(descriptor));
    return {};
}

Expected<void> AtomicFile::open_hidden() {
    std::error_code error;
    fs::path const absolute = fs::absolute(path_, error);
    if (error) { // the working folder was removed
        return tl::unexpected(failure("written", error.value()));
    }
    fs::path const resolved = fs::weakly_canonical(absolute, error);
    fs::path const target = error ? absolute : resolved;
    if (target.filename().empty()) {
        return tl::unexpected(failure("written", EISDIR));
    }
    std::optional<fs::path> temporary;
    Descriptor descriptor = open_unnamed(target.parent_path());
    if (!descriptor.is_open()) {
        temporary = temporary_name(target);
        constexpr int flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC;
        descriptor = Descriptor(::open(temporary->c_str(), flags, new_file_mode));
        if (!descriptor.is_open()) {
            return tl::unexpected(failure("written", errno));
        }
    }
    staged_ = StagedFile(path_, target, std::move(temporary), std::move(descriptor));
    return {};
}

Expected<void> AtomicFile::write(std::span<char const> bytes) {
    KEYSWAP_EXPECTS(staged_.descriptor() >= 0);
    return written(write_fully(staged_.descriptor(), bytes));
}

Expected<void> AtomicFile::write_at(std::uint64_t offset, std::span<char const> bytes) {
    KEYSWAP_EXPECTS(staged_.descriptor() >= 0 && !direct_);
    return written(write_fully(staged_.descriptor(), bytes, offset));
}

Expected<void> AtomicFile::written(int error_number) const {
    return error_number == 0 ? Expected<void>() : tl::unexpected(failure("written", error_number));
}

Expected<void> AtomicFile::commit() {
    KEYSWAP_EXPECTS(staged_.descriptor() >= 0);
    // close() reports write errors that a network file system delayed. It closes a duplicate, since
    // the descriptor is still needed to name the file.
    Descriptor copy(::dup(staged_.descriptor()));
    if (!copy.is_open() || copy.close() != 0) {
        return tl::unexpected(failure("written", errno));
    }
    StagedFile file = std::move(staged_);
    if (direct_) {
        return {};
    }
    if (Publication* const publication = Publication::active()) {
        publication->add(std::move(file));
        return {};
    }
    KEYSWAP_RETURN_IF_ERROR(file.place(Existing::replace, false));
    file.finish();
    return {};
}

bool is_standard_output(fs::path const& path) {
    return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

Expected<void> write_whole_file(fs::path const& path, std::string_view text) {
    KEYSWAP_TRY(auto file, AtomicFile::create(path));
    KEYSWAP_RETURN_IF_ERROR(file.write(text));
    return file.commit();
}

} // namespace keyswap
