#pragma once

#include "model/key_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace keyswap::model {

/// Keys of a file that can be read at any place, by several threads at once. CSV and pipes, which
/// cannot, are first copied as words into an unnamed temporary file.
class StoredKeys {
  public:
    [[nodiscard]] static Expected<StoredKeys> open(std::filesystem::path const& path,
                                                   KeyFileOptions const& options);

    StoredKeys(StoredKeys&& other) noexcept;
    StoredKeys& operator=(StoredKeys&& other) = delete;
    ~StoredKeys();

    [[nodiscard]] KeyType key_type() const { return key_type_; }
    [[nodiscard]] std::uint64_t key_count() const { return key_count_; }
    /// Fills `keys` from key `first` on. \pre that many keys are there
    [[nodiscard]] Expected<void> read(std::uint64_t first, std::span<std::byte> keys) const;

  private:
    StoredKeys(std::string name, KeyType key_type);
    [[nodiscard]] Expected<void> open_in_place(std::filesystem::path const& path,
                                               KeyFileFormat format);
    [[nodiscard]] Expected<void> copy_aside(KeyFileReader& reader);

    std::string name_;
    KeyType key_type_;
    std::uint64_t key_count_ = 0;
    std::uint64_t offset_bytes_ = 0; ///< of the first key
    int descriptor_ = -1;
};

} // namespace keyswap::model
