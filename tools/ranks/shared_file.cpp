#include "tools/ranks/shared_file.hpp"

#include "model/ranks/agreement.hpp"
#include "tools/ranks/rank_ending.hpp"
#include "traces/errors/errno_remedy.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/full_write.hpp"
#include "traces/format/publication.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>
#include <utility>

namespace keyswap::tools {

namespace fs = std::filesystem;

Expected<SharedFile> SharedFile::create(model::Communicator& ranks, fs::path const& path) {
    static std::atomic<unsigned> calls{0};
    // Process ids are not unique across machines, hence the random number.
    fs::path const name = ".keyswap-" + std::to_string(::getpid()) + "-" +
                          std::to_string(calls.fetch_add(1)) + "-" +
                          std::to_string(std::random_device{}()) + "-ranks.partial";
    // Rank 0 chooses the name and creates the file; then the others open it.
    auto const names =
        model::all_gather_text(ranks, "output", (path.parent_path() / name).string());
    SharedFile file(path, names.front());
    bool const is_first = ranks.rank() == 0;
    auto opened =
        model::agree(ranks, "making the output", is_first ? file.open(true) : Expected<void>());
    if (opened) {
        opened = model::agree(
            ranks, "opening the output", is_first ? Expected<void>() : file.open(false));
    }
    KEYSWAP_RETURN_IF_ERROR(opened);
    return file;
}

SharedFile::SharedFile(SharedFile&& other) noexcept
    : path_(std::move(other.path_)), partial_(std::exchange(other.partial_, {})),
      descriptor_(std::move(other.descriptor_)) {}

SharedFile::~SharedFile() {
    if (!partial_.empty()) {
        ::unlink(partial_.c_str());
        forget_partial(partial_);
    }
}

InputError SharedFile::failure(std::string const& action, int error_number) const {
    return {path_.string(),
            "cannot be " + action + ": " + std::strerror(error_number),
            errno_remedy(error_number, "choose a path in a folder that every rank may write to")};
}

Expected<void> SharedFile::open(bool is_first) {
    int const flags = is_first ? O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC;
    descriptor_ = Descriptor(::open(partial_.c_str(), flags, 0666));
    if (!descriptor_.is_open()) {
        return tl::unexpected(failure("written", errno));
    }
    remember_partial(partial_);
    return {};
}

Expected<void> SharedFile::write_at(std::uint64_t offset, std::span<char const> bytes) {
    int const error_number = write_fully(descriptor_.number(), bytes, offset);
    return error_number == 0 ? Expected<void>() : tl::unexpected(failure("written", error_number));
}

Expected<void> SharedFile::commit(model::Communicator& ranks) {
    Expected<void> own;
    if (::fsync(descriptor_.number()) != 0 && errno != EINVAL) {
        own = tl::unexpected(failure("written", errno));
    }
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "completing the output", own));
    if (ranks.rank() == 0) {
        Publication const* const publication = Publication::active();
        int const error_number = rename_file(
            partial_, path_, publication == nullptr ? Existing::replace : publication->existing());
        if (error_number != 0) {
            own = tl::unexpected(error_number == EEXIST ? file_exists_error(path_)
                                                        : failure("named", error_number));
        }
    }
    auto const named = model::agree(ranks, "naming the output", own);
    if (named) {
        forget_partial(partial_);
        partial_.clear();
    }
    return named;
}

} // namespace keyswap::tools
