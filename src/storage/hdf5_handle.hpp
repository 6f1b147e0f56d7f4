// An HDF5 identifier that closes itself, and the type of texts; for the files of this module that include
// HDF5.
#pragma once

#include <hdf5.h>

namespace echo::storage {

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The type of our texts, to be closed. It has variable length: every reader returns such texts as texts,
// while fixed ones are bytes to some.
inline hid_t make_text_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

}  // namespace echo::storage
