#pragma once

#include "model/ranks/communicator.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace keyswap::tools {

/// One file that all ranks write, each a stretch of its own, and that appears under its name when
/// all have. Bytes go to a file next to it, which every rank removes if the sort ends without it, a
/// rank that is asked to terminate too.
class SharedFile {
  public:
    /// Every rank calls it at the same step. \throws RankFailure
    [[nodiscard]] static Expected<SharedFile> create(model::Communicator& ranks,
                                                     std::filesystem::path const& path);
    SharedFile(SharedFile&& other) noexcept;
    SharedFile& operator=(SharedFile&&) = delete;
    ~SharedFile();

    [[nodiscard]] Expected<void> write_at(std::uint64_t offset, std::span<char const> bytes);
    /// Gives the file its name once every rank has come here; rank 0 does.
    /// \throws RankFailure
    [[nodiscard]] Expected<void> commit(model::Communicator& ranks);

  private:
    SharedFile(std::filesystem::path path, std::filesystem::path partial)
        : path_(std::move(path)), partial_(std::move(partial)) {}
    [[nodiscard]] Expected<void> open(bool is_first);
    [[nodiscard]] InputError failure(std::string const& action, int error_number) const;

    std::filesystem::path path_;
    std::filesystem::path partial_; ///< empty once there is none
    int descriptor_ = -1;
};

} // namespace keyswap::tools
