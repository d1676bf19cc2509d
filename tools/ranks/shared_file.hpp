#pragma once

#include "model/ranks/communicator.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/format/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace keyswap::tools {

/// One file that all ranks write, each its own byte range; it gets its name once all have finished.
/// Until then it is a temporary file next to it, removed by every rank on failure and on a request
/// to terminate.
class SharedFile {
  public:
    /// Called by every rank at the same step. \throws RankFailure
    [[nodiscard]] static Expected<SharedFile> create(model::Communicator& ranks,
                                                     std::filesystem::path const& path);
    SharedFile(SharedFile&& other) noexcept;
    SharedFile& operator=(SharedFile&&) = delete;
    ~SharedFile();

    [[nodiscard]] Expected<void> write_at(std::uint64_t offset, std::span<char const> bytes);
    /// Waits for all ranks; rank 0 then renames the file to its name.
    /// \throws RankFailure
    [[nodiscard]] Expected<void> commit(model::Communicator& ranks);

  private:
    SharedFile(std::filesystem::path path, std::filesystem::path partial)
        : path_(std::move(path)), partial_(std::move(partial)) {}
    [[nodiscard]] Expected<void> open(bool is_first);
    [[nodiscard]] InputError failure(std::string const& action, int error_number) const;

    std::filesystem::path path_;
    std::filesystem::path partial_; ///< empty once renamed or removed
    Descriptor descriptor_;
};

} // namespace keyswap::tools
