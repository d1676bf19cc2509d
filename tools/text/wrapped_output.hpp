#pragma once

/// \file Wraps the lines written to a stream.

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>

namespace keyswap::tools {

/// RAII: wraps lines of a stream that exceed `columns`, as wrapped() does. Lines are written when
/// complete; the destructor writes an incomplete last one.
class WrappedOutput final : private std::streambuf {
  public:
    /// \param out must outlive this object
    WrappedOutput(std::ostream& out, std::size_t columns);
    WrappedOutput(WrappedOutput const&) = delete;
    WrappedOutput& operator=(WrappedOutput const&) = delete;
    ~WrappedOutput() override;

  private:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(char const* text, std::streamsize size) override;
    int sync() override;

    /// Writes the completed lines. \return false if the stream rejected some output
    bool write_lines();

    std::ostream& out_;
    std::streambuf* target_;
    std::size_t columns_;
    std::string pending_; ///< incomplete last line
};

} // namespace keyswap::tools
