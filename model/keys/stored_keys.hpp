#pragma once

#include "model/keys/key_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// Keys of a file, of several one after the other, or of an array, that can be read at any place,
/// by several threads at once. CSV, compressed files, pipes and narrow keys, which cannot, are
/// first copied as words into an unnamed temporary file.
class StoredKeys {
  public:
    [[nodiscard]] static Expected<StoredKeys> open(std::filesystem::path const& path,
                                                   KeyFileOptions const& options);

    /// Keys of all files in their order; they must be of one type. \pre paths is not empty
    [[nodiscard]] static Expected<StoredKeys> open(std::span<std::filesystem::path const> paths,
                                                   KeyFileOptions const& options);

    /// Keys in memory, which is not copied and has to outlive the result.
    /// \param wants_end called before each reading by any thread; true makes it fail, which ends a
    ///        long scan \pre keys.size() is a multiple of key_size_bytes(type)
    [[nodiscard]] static StoredKeys
    view(std::span<std::byte const> keys, KeyType type, std::function<bool()> wants_end = {});

    StoredKeys(StoredKeys&& other) noexcept;
    StoredKeys& operator=(StoredKeys&& other) = delete;
    ~StoredKeys();

    [[nodiscard]] KeyType key_type() const { return key_type_; }
    /// What the first file has, where its keys were widened to key_type().
    [[nodiscard]] std::optional<NarrowType> narrow_type() const { return narrow_type_; }
    /// How another file of such keys is opened: as `options` say, with these keys' type where they
    /// name none.
    [[nodiscard]] KeyFileOptions same_type(KeyFileOptions options) const;
    /// Of all files.
    [[nodiscard]] std::uint64_t key_count() const { return key_count_ + next_count(); }
    /// Index of the first key of each file.
    [[nodiscard]] std::vector<std::uint64_t> file_begins() const;
    /// Of the first file, as KeyFileReader has it.
    [[nodiscard]] std::optional<std::string> const& heading() const { return heading_; }
    [[nodiscard]] std::size_t other_columns() const { return other_columns_; }
    /// Headings of CSV files that were passed over, each with its file's name before it.
    [[nodiscard]] std::vector<std::string> headings() const;
    /// Fills `keys` from key `first` on. \pre that many keys are there
    [[nodiscard]] Expected<void> read(std::uint64_t first, std::span<std::byte> keys) const;

  private:
    StoredKeys(std::string name, KeyType key_type);
    [[nodiscard]] Expected<void> open_in_place(std::filesystem::path const& path);
    [[nodiscard]] Expected<void> copy_aside(KeyFileReader& reader);
    [[nodiscard]] Expected<void> read_own(std::uint64_t first, std::span<std::byte> keys) const;
    [[nodiscard]] std::uint64_t next_count() const { return next_ ? next_->key_count() : 0; }

    std::string name_;
    KeyType key_type_;
    std::optional<NarrowType> narrow_type_;
    std::uint64_t key_count_ = 0;    ///< of this file
    std::uint64_t offset_bytes_ = 0; ///< of the first key
    bool swaps_bytes_ = false;       ///< the file has them the other way round than memory
    int descriptor_ = -1;            ///< -1: the keys lie in memory
    std::span<std::byte const> memory_{};
    std::function<bool()> wants_end_; ///< of keys in memory; may be empty
    bool type_was_given_ = false;     ///< the options named it
    std::optional<std::string> heading_;
    std::size_t other_columns_ = 0;
    std::unique_ptr<StoredKeys> next_; ///< the files that follow
};

} // namespace keyswap::model
