#include "tools/text/wrapped_output.hpp"

#include "tools/text/text_width.hpp"

namespace keyswap::tools {

namespace {

bool write_all(std::streambuf& target, std::string const& text) {
    auto const size = static_cast<std::streamsize>(text.size());
    return target.sputn(text.data(), size) == size;
}

} // namespace

WrappedOutput::WrappedOutput(std::ostream& out, std::size_t columns)
    : out_(out), target_(out.rdbuf()), columns_(columns) {
    out_.rdbuf(this);
}

WrappedOutput::~WrappedOutput() {
    bool const written = write_all(*target_, wrapped(pending_, columns_));
    auto const state = out_.rdstate(); // setting a buffer clears the state
    out_.rdbuf(target_);
    out_.setstate(written ? state : state | std::ios_base::badbit);
}

WrappedOutput::int_type WrappedOutput::overflow(int_type letter) {
    if (traits_type::eq_int_type(letter, traits_type::eof())) {
        return traits_type::not_eof(letter);
    }
    pending_ += traits_type::to_char_type(letter);
    return write_lines() ? letter : traits_type::eof();
}

std::streamsize WrappedOutput::xsputn(char const* text, std::streamsize size) {
    pending_.append(text, static_cast<std::size_t>(size));
    return write_lines() ? size : 0;
}

int WrappedOutput::sync() {
    return target_->pubsync();
}

bool WrappedOutput::write_lines() {
    std::size_t const end = pending_.rfind('\n');
    if (end == std::string::npos) {
        return true;
    }
    std::string const lines = wrapped(std::string_view(pending_).substr(0, end + 1), columns_);
    pending_.erase(0, end + 1);
    return write_all(*target_, lines);
}

} // namespace keyswap::tools
