#pragma once

/// \file All-or-nothing output of a command: all its files get their names once the last one is
/// complete, or none does. One setting decides whether existing files may be replaced.

#include "traces/errors/input_error.hpp"
#include "traces/format/descriptor.hpp"

#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

namespace keyswap {

/// Policy for a file that exists already.
enum class Existing { keep, replace };

/// A complete file in its target's folder, without a name or with a temporary one. The destructor
/// removes it unless place() succeeded.
class StagedFile {
  public:
    StagedFile() = default;
    /// \param path as given by the user, for messages
    /// \param target the path with symbolic links resolved
    /// \param temporary nullopt if the file is unnamed
    StagedFile(std::filesystem::path path,
               std::filesystem::path target,
               std::optional<std::filesystem::path> temporary,
               Descriptor descriptor);
    StagedFile(StagedFile&& other) noexcept;
    StagedFile& operator=(StagedFile&& other) noexcept;
    ~StagedFile();

    [[nodiscard]] int descriptor() const { return descriptor_.number(); }
    /// Moves the file to its target.
    /// \param undoable keeps an existing file under a temporary name until finish()
    [[nodiscard]] Expected<void> place(Existing existing, bool undoable);
    /// Reverts place(): removes the file or restores the older one. \pre placed
    void undo() noexcept;
    /// Makes place() permanent: deletes the older file. \pre placed
    void finish() noexcept;

  private:
    [[nodiscard]] InputError failure(int error_number) const;
    [[nodiscard]] int place_new();
    [[nodiscard]] int replace(bool undoable);
    [[nodiscard]] int name_temporarily();
    void abandon() noexcept;

    std::filesystem::path path_;
    std::filesystem::path target_;
    std::optional<std::filesystem::path> temporary_; ///< this file's name; after a replacement
                                                     ///< the older file's
    Descriptor descriptor_;
    bool placed_ = false;
    bool has_older_ = false; ///< the older file is at temporary_
};

/// While one is active, AtomicFile::commit() only stages files; publish() names them all, or none.
class Publication {
  public:
    /// Becomes the process's active publication. \pre none is active
    Publication();
    Publication(Publication const&) = delete;
    Publication& operator=(Publication const&) = delete;
    ~Publication();

    /// nullptr if none is active.
    [[nodiscard]] static Publication* active();

    void set_existing(Existing existing) { existing_ = existing; }
    [[nodiscard]] Existing existing() const { return existing_; }
    void add(StagedFile file);
    /// Names all files. If one fails, restores the previous state of all targets.
    [[nodiscard]] Expected<void> publish();

  private:
    Existing existing_ = Existing::replace; ///< `keep` for commands that require --force
    std::mutex mutex_;                      ///< guards files_: ranks may be threads
    std::vector<StagedFile> files_;
};

/// The error for an existing file that must not be replaced.
[[nodiscard]] InputError file_exists_error(std::filesystem::path const& path);

/// Renames a complete file atomically. \return 0 or errno: EEXIST if the target exists and
/// `existing` is `keep`
[[nodiscard]] int
rename_file(std::filesystem::path const& from, std::filesystem::path const& to, Existing existing);

/// A unique path in the target's folder, across processes and calls.
/// It does not contain the target's name, which may already have the maximum length.
[[nodiscard]] std::filesystem::path temporary_name(std::filesystem::path const& target);

} // namespace keyswap
