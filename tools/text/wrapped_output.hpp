#pragma once

/// \file Lines of a stream that fit a terminal.

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>

namespace keyswap::tools {

/// While it lives, lines of a stream that are wider than so many columns are broken as wrapped()
/// does. A line is written once it has ended, and what is left at the end of this object's life.
class WrappedOutput final : private std::streambuf {
  public:
    /// \param out outlives this
    WrappedOutput(std::ostream& out, std::size_t columns);
    WrappedOutput(WrappedOutput const&) = delete;
    WrappedOutput& operator=(WrappedOutput const&) = delete;
    ~WrappedOutput() override;

  private:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(char const* text, std::streamsize size) override;
    int sync() override;

    /// Writes the lines that have ended. \return whether the stream took all of it
    bool write_lines();

    std::ostream& out_;
    std::streambuf* target_;
    std::size_t columns_;
    std::string pending_; ///< the line that has not ended
};

} // namespace keyswap::tools
