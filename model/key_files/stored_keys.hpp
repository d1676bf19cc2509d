#pragma once

#include "model/key_files/key_file.hpp"
#include "traces/format/descriptor.hpp"

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

/// Random-access, thread-safe reader of the keys of one file, of several concatenated files, or of
/// an array. CSV, compressed files, pipes and narrow keys do not allow random access and are first
/// copied as words into an unnamed temporary file.
class StoredKeys {
  public:
    [[nodiscard]] static Expected<StoredKeys> open(std::filesystem::path const& path,
                                                   KeyFileOptions const& options);

    /// Concatenates the keys of all files; all must have one type. \pre paths is not empty
    [[nodiscard]] static Expected<StoredKeys> open(std::span<std::filesystem::path const> paths,
                                                   KeyFileOptions const& options);

    /// Keys in memory; they are not copied and must outlive the result.
    /// \param wants_end called before each read, by any thread; returning true makes the read fail,
    ///       which cancels a long scan \pre keys.size() is a multiple of key_size_bytes(type)
    [[nodiscard]] static StoredKeys
    view(std::span<std::byte const> keys, KeyType type, std::function<bool()> wants_end = {});

    [[nodiscard]] KeyType key_type() const { return key_type_; }
    /// The stored type of the first file if its keys are widened to key_type(); else nullopt.
    [[nodiscard]] std::optional<NarrowType> narrow_type() const { return narrow_type_; }
    /// Options for opening another file of such keys: `options`, with the type of these keys if it
    /// has none.
    [[nodiscard]] KeyFileOptions same_type(KeyFileOptions options) const;
    /// Regards the words of one raw file as keys of another size. \pre the file is not of keys
    /// whose bytes are reversed in memory
    void regroup(KeyType type);
    /// Total of all files.
    [[nodiscard]] std::uint64_t key_count() const { return key_count_ + next_count(); }
    /// Index of the first key of each file.
    [[nodiscard]] std::vector<std::uint64_t> file_begins() const;
    /// Of the first file; see KeyFileReader.
    [[nodiscard]] std::optional<std::string> const& header() const { return header_; }
    [[nodiscard]] std::size_t other_columns() const { return other_columns_; }
    /// Skipped CSV headers, each as "FILE: 'HEADER'".
    [[nodiscard]] std::vector<std::string> headers() const;
    /// Fills `keys` from key `first` on. \pre first + the number of keys <= key_count()
    [[nodiscard]] Expected<void> read(std::uint64_t first, std::span<std::byte> keys) const;
    /// Key `index`. \tparam Word unsigned integer of the keys' width
    template <class Word>
    [[nodiscard]] Expected<Word> key(std::uint64_t index) const {
        Word word = 0;
        return read(index, std::as_writable_bytes(std::span(&word, 1))).map([&] { return word; });
    }
    /// Returns an error if a file has been written since it was opened: what was read of it may
    /// mix old and new keys.
    [[nodiscard]] Expected<void> unchanged() const;

  private:
    /// Size and time of the last write.
    struct FileVersion {
        std::int64_t size_bytes = 0;
        std::int64_t seconds = 0;
        std::int64_t nanoseconds = 0;
        friend bool operator==(FileVersion const&, FileVersion const&) = default;
    };

    StoredKeys(std::string name, KeyType key_type);
    [[nodiscard]] Expected<FileVersion> current_version() const;
    [[nodiscard]] Expected<void> open_in_place(std::filesystem::path const& path);
    [[nodiscard]] Expected<void> copy_to_temporary(KeyFileReader& reader);
    [[nodiscard]] Expected<void> read_own(std::uint64_t first, std::span<std::byte> keys) const;
    [[nodiscard]] std::uint64_t next_count() const { return next_ ? next_->key_count() : 0; }

    std::string name_;
    KeyType key_type_;
    std::optional<NarrowType> narrow_type_;
    std::uint64_t key_count_ = 0;       ///< of this file alone
    std::uint64_t offset_bytes_ = 0;    ///< of the first key
    bool swaps_bytes_ = false;          ///< file and memory differ in byte order
    Descriptor descriptor_;             ///< closed: the keys are in memory
    std::optional<FileVersion> opened_; ///< nullopt for temporary copies and keys in memory
    std::span<std::byte const> memory_{};
    std::function<bool()> wants_end_; ///< cancels reads of keys in memory; may be empty
    bool type_was_given_ = false;     ///< the options gave key_type
    std::optional<std::string> header_;
    std::size_t other_columns_ = 0;
    std::unique_ptr<StoredKeys> next_; ///< the remaining files, as a linked list
};

} // namespace keyswap::model
