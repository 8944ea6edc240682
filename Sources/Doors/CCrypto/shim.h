// The whole of libcrypto that we see: HMAC() with EVP_sha256(), RSA signatures over a key in PEM, certificates and keys
// in PEM as they are read, and the words for what is wrong with a certificate. MessageCodes, SourceKit and Transport import it.
#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
