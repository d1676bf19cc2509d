#pragma once

/// \file The outputs of one command appear together: all of them once the last one is complete, or
/// none. Whether files that exist may be replaced is decided once for all of them.

#include "traces/errors/input_error.hpp"

#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

namespace keyswap {

/// Whether a file that is there already may be replaced.
enum class Existing { keep, replace };

/// A file in the folder of its target that has no name yet, or a temporary one. Removed unless it
/// is placed.
class StagedFile {
  public:
    StagedFile() = default;
    /// \param path as the user gave it
    /// \param target the same with symbolic links resolved
    /// \param temporary none if the file has no name
    /// \param descriptor owned
    StagedFile(std::filesystem::path path,
               std::filesystem::path target,
               std::optional<std::filesystem::path> temporary,
               int descriptor);
    StagedFile(StagedFile&& other) noexcept;
    StagedFile& operator=(StagedFile&& other) noexcept;
    ~StagedFile();

    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// Gives the file its name.
    /// \param undoable an older file of that name is kept until finish()
    [[nodiscard]] Expected<void> place(Existing existing, bool undoable);
    /// Takes the name away again, and gives it back to the older file. \pre placed
    void undo() noexcept;
    /// Nothing is undone from here on. \pre placed
    void finish() noexcept;

  private:
    [[nodiscard]] InputError failure(int error_number) const;
    [[nodiscard]] int place_new();
    [[nodiscard]] int replace(bool undoable);
    [[nodiscard]] int name_temporarily();
    void abandon() noexcept;

    std::filesystem::path path_;
    std::filesystem::path target_;
    std::optional<std::filesystem::path> temporary_; ///< this file's name, or after an exchange
                                                     ///< that of the older one
    int descriptor_ = -1;
    bool placed_ = false;
    bool has_older_ = false; ///< the older file is at temporary_
};

/// What AtomicFile::commit() completes while one is active is named by publish(), or never.
class Publication {
  public:
    /// Becomes the active one of the process. \pre none is active
    Publication();
    Publication(Publication const&) = delete;
    Publication& operator=(Publication const&) = delete;
    ~Publication();

    /// Null if none is.
    [[nodiscard]] static Publication* active();

    void set_existing(Existing existing) { existing_ = existing; }
    [[nodiscard]] Existing existing() const { return existing_; }
    void add(StagedFile file);
    /// Names all files. If one cannot be named, none is, and older files are as they were.
    [[nodiscard]] Expected<void> publish();

  private:
    Existing existing_ = Existing::replace; ///< unless a command asks for --force
    std::mutex mutex_;                      ///< ranks may be threads
    std::vector<StagedFile> files_;
};

/// The refusal of a file that exists, found before or after the work.
[[nodiscard]] InputError kept_file(std::filesystem::path const& path);

/// Gives a complete file its name at once. \return 0, or the number of the error: EEXIST if a file
/// of that name exists and is to be kept
[[nodiscard]] int
rename_file(std::filesystem::path const& from, std::filesystem::path const& to, Existing existing);

/// Names in a folder that no other process and no other call of this one uses at the same time.
/// They do not contain the file's own, which may be as long as names can be.
[[nodiscard]] std::filesystem::path temporary_name(std::filesystem::path const& target);

} // namespace keyswap
